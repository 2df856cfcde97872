"""layer_norm where a model is exported or its backward pass compiled: by who knows nothing of it."""

from pathlib import Path

import pytest
import torch

from lnkernels import LayerNorm, layer_norm
from tests.lnkernels.test_operators import N, leaves
from tests.programs import printed

LOADS = """
import sys
import lnkernels, torch
program = torch.export.load(sys.argv[1])
print(program.module()(torch.ones(5, 24)).shape)
"""


def test_an_exported_program_loads_where_the_package_is_imported_alone(tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(LayerNorm(N), (torch.ones(5, N),)), path)
    told = printed(LOADS, path, TRITON_INTERPRET="1", HOME=str(tmp_path))
    assert told == "torch.Size([5, 24])\n"


@pytest.mark.filterwarnings("ignore")
def test_who_asks_for_a_decomposition_gets_pytorchs_own_operator() -> None:
    operator = torch.ops.lnkernels.layer_norm_forward.default
    program = torch.export.export(LayerNorm(N), (torch.ones(5, N),))
    table = {operator: torch._decomp.decomposition_table[operator]}
    x = torch.randn(5, N)
    kept, apart = program.run_decompositions({}), program.run_decompositions(table)
    assert "lnkernels" in kept.graph_module.code
    assert "lnkernels" not in apart.graph_module.code
    torch.testing.assert_close(apart.module()(x), kept.module()(x))


@pytest.mark.filterwarnings("ignore")
def test_an_export_to_onnx_has_its_layer_normalization() -> None:
    pytest.importorskip("onnxscript")
    program = torch.onnx.export(LayerNorm(N), (torch.ones(5, N),), dynamo=True, verbose=False)
    assert program is not None
    assert [node.op_type for node in program.model_proto.graph.node] == ["LayerNormalization"]


@pytest.mark.filterwarnings("ignore")
def test_compiled_autograd_takes_the_backward_pass_of_an_eager_forward_pass() -> None:
    # Only here: its import takes seconds, in every process that collects tests.
    from torch._dynamo import compiled_autograd

    given, theirs = leaves(), leaves()
    loss = layer_norm(given[0], (N,), *given[1:]).square().sum()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        loss.backward()
    torch.nn.functional.layer_norm(theirs[0], (N,), *theirs[1:]).square().sum().backward()
    for one, other in zip(given, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-4, rtol=1e-4)
