"""What is said about each subject. compose.py puts the parts into order."""
