"""What torch reads of the kernels that its compiled code launches, found out without a GPU."""

from pathlib import Path

from tests.programs import printed

ROOT = Path(__file__).parents[2]
# The graph is traced for a device that is not here, of which Triton's own code is read; nothing is
# launched.
SCRIPT = r"""
import re
import torch
from torch._dynamo.backends.common import aot_autograd
from torch._subclasses.fake_tensor import FakeTensorMode
from lnkernels import layer_norm
from lnkernels.call import inlined
from lnkernels.launch import LaunchWish
from lnkernels.triton_internals import compile_for, target_of

compile_for(target_of(90))
inlined._DEVICES = ("cpu",)
wish = LaunchWish(strategy="persistent", programs_per_sm=4)

def compiler(graph, _):
    text = graph.print_readable(print_output=False)
    print(*re.findall(r"tensors_to_clone = \[.*?\]|lnkernels[.]\w+", text), sep="; ")
    return graph.forward

with FakeTensorMode():
    for m, n in ((64, 1024), (64, 16384), (64, 1001)):
        torch.compiler.reset()
        given = [torch.empty(*s, dtype=torch.float16, requires_grad=True) for s in ((m, n), (n,))]
        y = torch.compile(
            lambda x, w: layer_norm(x, (n,), w, launch=wish),
            backend=aot_autograd(fw_compiler=compiler, bw_compiler=compiler),
            fullgraph=True,
        )(*given)
        y.sum().backward()
"""


def test_torch_reads_of_each_kernel_what_it_writes() -> None:
    """A tensor more would be copied at every call."""
    told = printed(SCRIPT, TRITON_INTERPRET=None, PYTHONWARNINGS="ignore")
    forward, backward, *opaque = told.splitlines()
    assert forward == "tensors_to_clone = ['y_ptr', 'mean_ptr', 'rstd_ptr']"
    stage1, stage2 = backward.split("; ")
    assert stage1 == "tensors_to_clone = ['dx_ptr', 'partial_dw_ptr']"
    assert stage2 == "tensors_to_clone = ['dw_ptr']"
    operators = ["lnkernels.layer_norm_forward", "lnkernels.layer_norm_backward"]
    # sums of rows that are held packed, and rows that are no multiple of 16 bytes
    assert opaque[1:] == [operators[1], *operators]
