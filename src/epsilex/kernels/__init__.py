"""Kernels: arrays in, arrays out, compiled by Numba; they use no Python objects of the package.

caching      a cache of machine code that may fail
compiling    the `jit` decorator, block kernels from NumPy functions
instructions  memory and calls by address, bits of words: what Numba's own code cannot express
inlining     functions that only kernels call: no machine code of their own
meaning      hashes of what functions compute
math32       float32 sin, cos, exp, log, tanh, arcsin, arccos, used as `np.sin` and so on inside block kernels
streams      counter-based random numbers, keyed by address (seed, generation, slot)
evaluating   data in blocks of rows, one program over one block
sharing      outputs of a population, each distinct subtree computed once
jacobian     derivatives of outputs with respect to constants, reverse mode; Levenberg-Marquardt
fitting      errors and fitness, linear scaling
thresholds   best error and exact median absolute deviation of a case, over any pool
medians      exact medians of many cases, over the population
passing      errors case by case, thresholds over the population, pass bits
lexicase     the filter: static on bits, or with a best error or a MAD over the pool
drawing      the draws of a selection event: its pool and its cases
batches      the filter on batches of cases
splitting    the threshold that splits a case's errors into two groups
orders       the cases that selected a parent, drawn again
complements  mates that are good where a parent is not
postfix      programs in postfix order: subtrees, splicing
growing      random programs
variation    crossover and mutation
typed        random programs of consistent dimensions
typed_variation  crossover and mutation that keep them so
forms        formulas of programs that fill a form, and their inner programs
form_tuning  Levenberg-Marquardt of such programs
structure    programs that break structural limits
grafting     the term that explains most of a parent's residual, at one of its nodes
recursion    dynamic models in free run
describing   prices, constants and shapes of programs
pairs        the best R2 of each term together with another
pareto       non-dominated fronts of two objectives
dominance    dominance by any number of objectives, SPEA2's strengths and truncation
slices       a thread pool over slices of the population
"""
