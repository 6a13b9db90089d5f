"""Planting: seeding part of the first population with fitted simple formulas.

systematic   all formulas of a small class, with one constant inside
atoms        the functions that these are made of
products     products and quotients of powers of up to three features
sums         sums of a few simple terms for y or a transform of it, and long sums
polynomials  polynomials, and quotients of two of them
quotients    quotients of sums of up to three simple terms, for few and noisy rows
ratios       the quotients that these are chosen from
powers       products of powers and exponentials
curves       sigmoids, bells and waves of one feature
mixtures     sums of two exponentials or two powers of one feature
shifts       shifted power laws and exponentials
separable    products and sums of curves of two features
laurent      sums of powers of one feature with simple exponents, also under a root or a fraction line
groups       products of the target's dimension and functions of dimensionless groups
quadrics     roots and quotients of quadratic forms
reductions   products of powers times functions of few columns, found by symmetries of the data
symmetries   symmetries of a target in its columns, and the fewer columns they need
surfaces     smooth models of a target, and their gradients
monomials    products of powers of terms
few_columns  formulas of one to three columns
bends        functions of one column with a constant inside
terms        the terms of these formulas
golden       golden-section search
transforms   transforms of y = f(x): roots, inverses, logarithms, factors moved to the side of y
planter      the limits of planters, and the planting of their programs
expressing   planted programs in the user's operators

A planter is a function of (X, y, limits) that returns programs, in the registry `PLANTERS`; the setting `planters`
names the ones to use, in order. Their programs rely on linear scaling and on feature coefficients.
"""

from __future__ import annotations

from epsilex.planting.curves import curves
from epsilex.planting.laurent import laurent
from epsilex.planting.mixtures import mixtures
from epsilex.planting.planter import Limits, Planter, plant
from epsilex.planting.polynomials import polynomials, rationals
from epsilex.planting.powers import powers
from epsilex.planting.products import products
from epsilex.planting.quadrics import quadrics
from epsilex.planting.quotients import quotients
from epsilex.planting.reductions import reductions
from epsilex.planting.separable import separable
from epsilex.planting.shifts import shifts
from epsilex.planting.sums import long_sums, sums
from epsilex.planting.systematic import systematic
from epsilex.registry import Registry

PLANTERS: Registry[Planter] = Registry(
    "planters", reductions=reductions, systematic=systematic, products=products, curves=curves, mixtures=mixtures,
    shifts=shifts, separable=separable, laurent=laurent, quadrics=quadrics, polynomials=polynomials,
    rationals=rationals, quotients=quotients, powers=powers, long_sums=long_sums, sums=sums,
)  # fmt: skip

__all__ = ["PLANTERS", "Limits", "Planter", "plant"]
