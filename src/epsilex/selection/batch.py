"""Batch lexicase: individuals are judged by their mean errors on batches of cases, which every event draws anew.

Aenugu, Spector, "Lexicase selection in learning classifier systems", GECCO (2019); Sobania and Rothlauf (2022) use it
in program synthesis. Both from memory; the size of a batch is ours. The last batch of an event may be smaller. The rule
is that of `lex_dynamic`: best error and MAD of the pool's errors on the batch.
"""

from __future__ import annotations

from epsilex.selection.lexicase import lexicase_method
from epsilex.selection.rules import Rule

METHOD = lexicase_method("batch", "Batch", Rule(best="pool", width="pool"), batch=8)
