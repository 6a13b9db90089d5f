"""Data: what a user's numbers become before a search sees them.

rows     equal rows are one of more weight, in an order that does not depend on theirs
scales   features and target scaled so that float32 holds them well, and the way back
losses   what is minimised: a registry
shadow   likely rows that the data does not have
"""
