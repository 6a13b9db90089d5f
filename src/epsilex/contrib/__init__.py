"""Adapters to other libraries.

deap  lexicase selectors with DEAP's signature
"""
