"""The choice: which model of the front a scientist would believe.

A rule is a `Rule`, registered by name in `rules.CHOICES`; `choose` of an estimator names it.

claims       parts of a formula that claim more than the rows show
language     the language of formulas: what their structure costs, how programs are read
description  the description length: structure, constants, residuals
linear       ridge regression, and the gate against it on few rows
choosing     the choice among forms by description
words        why this model, in two sentences
rule         the contract: a `Rule` makes an `Answer` of what a search leaves
shortest     the rule by description
validation   the rule by held-back rows
accuracy     the rule by the training loss, as in the paper
rules        the registry `CHOICES`
"""
