"""The profile as arrays: its columns looked up, and what more than one metric is made from, each
computed once. `profile_view` holds them all."""
