"""Compiling faster: no machine code for functions that only kernels call, and no garbage collection meanwhile.

Numba links the optimised LLVM code of a function into its callers, and also makes machine code of the function alone.
For inner functions nobody runs that: `InnerCompiler` leaves it out, and leaves optimising to the callers. Only
functions that may reorder sums are optimised alone, because the order must not depend on the caller.
"""

from __future__ import annotations

import gc

from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class LinkedLibrary(JITCodeLibrary):
    """LLVM code to link into callers, never given to the execution engine."""

    reorders = False

    @property
    def codegen(self):
        return self  # asked for only to call `set_env`

    def set_env(self, name, environment) -> None:
        """The environment, which holds Python objects, is set where the callers run."""

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # as for any function without an entry from Python

    def _optimize_final_module(self) -> None:
        if self.reorders:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    _name = "inner_lowering"

    def run_pass(self, state) -> bool:
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.reorders = "reassoc" in state.flags.fastmath.flags
        return super().run_pass(state)


class InnerCompiler(CompilerBase):
    """Numba's compiler with `InnerLowering`."""

    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(InnerLowering if kind is NativeLowering else kind, text) for kind, text in passes.passes]
        passes.finalize()
        return [passes]


class Uninterrupted(event.Listener):
    """Pauses garbage collection: compiling makes many objects and little garbage."""

    def __init__(self):
        self.depth = 0
        self.was_on = False

    def on_start(self, event) -> None:
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event) -> None:
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


event.register("numba:compile", Uninterrupted())
