"""Data: the user's numbers, prepared for a search.

checking  names, weights and standard errors, as the user gives them
rows      distinct rows with weights, in an order independent of the input's; rows held back for validation
lazy      rows of a Dask dataframe
groups    groups of rows, and the columns that stand for them in a search
stand_ins  what distinguishes groups: factor, offset, delay, pace
registration  delays and paces of curves that run alike
noise     how measured values scatter: additive, relative, or by known standard errors
scales    features and target scaled to suit float32, and the way back
probes    rows on which a search looks for violations of known shapes
prior     what is known of a law before the search
losses    the registry of losses to minimise
shadow    plausible rows that the data does not have
"""
