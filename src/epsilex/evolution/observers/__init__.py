"""Observers watch a search: they see each state and the archive, and any of them may stop it.

observer    the protocol, and a user's function as an observer
archive     the best program of each length
renewing    how it takes in a state, also after the cases were drawn anew
structures  prices and shapes of many programs
formulas    programs of a search as formulas in the user's units
live        the front while a search runs, as a callback sees it
history     one row per generation
stopping    limits of generations, time and error
settling    the end of a search that no longer improves
progress    the progress bar
checkpoint  writing the state to disk and reading it back
records     the format of such files
signals     Ctrl-C and SIGTERM
clock       seconds spent on each part of a generation
"""
