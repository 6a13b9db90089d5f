"""Kernels: arrays in, arrays out, compiled by Numba; they use no Python objects of the package.

compiling    the `jit` decorator, block kernels from NumPy functions, addresses and calls by address
math32       float32 sin, cos, exp, log, tanh, used as `np.sin` and so on inside block kernels
streams      counter-based random numbers, keyed by address (seed, generation, slot)
evaluating   data in blocks of rows, one program over one block
sharing      outputs of a population, each distinct subtree computed once
jacobian     derivatives of outputs with respect to constants, reverse mode; Levenberg-Marquardt
fitting      errors and fitness, linear scaling
thresholds   best error and exact median absolute deviation of a case, over any pool
medians      exact medians of many cases, over the population
passing      errors case by case, thresholds over the population, pass bits
lexicase     the filter: static on bits, or with a best error or a MAD over the pool
orders       the cases that selected a parent, drawn again
variation    random start, crossover and mutation
grafting     the term that explains most of a parent's residual, at one of its nodes
recursion    dynamic models in free run
pairs        the best R2 of each term together with another
pareto       dominance and SPEA2's environmental selection
slices       a thread pool over slices of the population
"""
