"""The choice: which model of the front a scientist would believe.

noise        how measured values scatter: additive, relative, or by known standard errors
description  the description length: structure, constants, residuals
linear       ridge regression, and the gate against it on few rows
choosing     the choice by description
validation   the choice by held-back rows
accuracy     the choice by the training loss, as in the paper
words        why this model, in two sentences
"""
