"""Dimensions: which formulas make physical sense, given the units of the columns.

units      unit text to dimensions, by pint; units in headers
exact      dimensions as exact rational exponents, and which products of features have a dimension
classes    what each operator does to dimensions
rule       `Rule`: whether a formula's dimensions hold, exactly
monomials  products of powers of features, by their dimension
law        `Law`: the rule as tables of integers, for the kernels
carried    the units that constants carry
knowledge  from an estimator's parameters to a rule

A dimension is a tuple of exponents, one per base dimension that occurs in the data.
"""
