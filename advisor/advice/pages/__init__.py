"""The rule book for people: all rules on one page, and each as a text that reads from top to
bottom."""
