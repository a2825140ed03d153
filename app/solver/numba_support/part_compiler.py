"""Compiling the parts of kernels as code that is only linked: no machine code, as nobody calls a part by itself.

Numba optimizes every function and makes it ready to run before it links it into those that call it, where it is
optimized again. For a part the first of these is in vain, and an eighth of what a fresh install compiles.
"""

from __future__ import annotations

from typing import Any

from numba._dynfunc import make_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

NOWHERE = 0
"""The address of a part's machine code."""


class PartLibrary(JITCodeLibrary):
    """The code of a part, as its callers link it."""

    def _optimize_final_module(self) -> None:
        """Leave this to the callers, which know more."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Numba's last step for a part: tells callers where its code is to be linked from."""

    _name = "convive_part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Write the part's code, and load nothing."""
        library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library = library
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        described = lowered.fndesc
        known_as = make_function(
            described.lookup_module(), described.qualname, "a part of kernels", NOWHERE, lowered.env, (library,)
        )
        state.targetctx.insert_user_function(known_as, described, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=known_as)
        return True


class PartCompiler(Compiler):
    """Numba's compiler with another last step."""

    def define_pipelines(self) -> list[Any]:
        """Replace that step."""
        pipelines: list[Any] = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (PartLowering if step is NativeLowering else step, text) for step, text in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines
