"""OTF2 archives: traces of Score-P and others.

A program in C on the library's own reader turns them into a profile.
"""
