"""The language of rules: expressions over tables whose cells may be unknown, and sentences with
numbers filled in."""
