"""Observers: what watches a search. They see each state and the archive, and one of them may say stop.

observer    the protocol, and a user's function as an observer
archive     the best program of each length
history     one row per generation
stopping    limits of generations, time and error
settling    the end of a search that has nothing more to find
progress    the progress bar
checkpoint  the state on disk, and back
signals     Ctrl-C and SIGTERM
clock       seconds spent on each part of a generation
"""
