"""Shapes: what is known of a formula's values and slopes.

statements  text such as "increasing in T" to statements about a formula
verdict     whether a statement holds: proven by intervals, or checked on many points
knowledge   from an estimator's parameters to what the search and the front need
"""
