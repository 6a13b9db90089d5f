"""Data: the user's numbers, prepared for a search.

rows     distinct rows with weights, in an order independent of the input's
scales   features and target scaled to suit float32, and the way back
losses   the registry of losses to minimise
shadow   plausible rows that the data does not have
"""
