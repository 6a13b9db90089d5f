"""Forms: formulas whose outside is known, with unknown functions inside.

form      `Form`: the text, and limits of its functions
reading   text to an outline
outline   `Outline`: the fixed part as tokens, and its unknown functions
filling   programs that fill an outline: the inner programs and constants, joined and split
filled    the formula that a filling makes, and where each of its constants comes from
slopes    derivatives of operators, for derivatives of unknown functions
tables    an outline as arrays, for the kernels
knowledge  from an estimator's parameters to an outline

A filling is one program: the inner programs and the form's own constants, joined by sums in a fixed order. Search,
tuning and front work on fillings; values are always those of the formula that a filling makes.
"""

from epsilex.forms.form import Form

__all__ = ["Form"]
