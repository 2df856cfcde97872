"""What the compiler makes of the kernels for any NVIDIA architecture, on a machine with or without a GPU.

The launchers themselves are run with stand-ins for tensors, and what they would have launched is compiled: so
signature, constants and alignment are those of a real launch, and nothing is written down twice. `facts_in_own_process`
does this from where triton may not be imported, or is already bound to its interpreter.
"""

from lnkernels.compiled.facts import CompileError, CompileRequest, facts_in_own_process
from lnkernels.values.compiled import KernelFacts

__all__ = ["CompileError", "CompileRequest", "KernelFacts", "facts_in_own_process"]
