"""One formula for several groups of rows, with constants of its own for each group.

program    programs with own constants, and how programs over stand-ins become such
tuning     all constants by least squares, block by block
bench      forms tuned and described; the search for shorter descriptions
answer     from the programs of a search to the front and the chosen model
guessing   a person's guesses with own constants
adapting   own constants of a group that the fit has not seen
spread     the uncertainty of all constants

In a program the own constants are columns after those of the features, of coefficient 1; a table (own constants,
groups) has their values.
"""
