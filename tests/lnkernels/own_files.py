"""Files with kernels of one's own, and what is wrong with them."""

from pathlib import Path

from lnkernels.check.verifier import Verifier
from lnkernels.launch.source import find_source
from lnkernels.providers.file import FileProvider
from lnkernels.providers.protocol import Case
from lnkernels.timing.measure import why_not

PAIR = Path(__file__).parents[2].joinpath("resources", "new_kernel.txt").read_text()
TORCH_NORM = "torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)"
FUNCTION = """
import torch

def layer_norm(x, normalized_shape, weight, bias, eps, scale=1.0):
    return torch.nn.functional.layer_norm(x, normalized_shape, weight, bias, eps) * scale
"""

PLAIN = """
def layer_norm(x, shape, weight, bias, eps):
    wide = x.float()
    centred = wide - wide.mean(-1, keepdim=True)
    rstd = (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
    return (centred * rstd * weight + bias).to(x.dtype)
"""


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def reason(given: str, case: Case) -> str:
    refusal = why_not(FileProvider(find_source(given)), Verifier(case))
    assert refusal is None or refusal.reason.template != "{text}", "it can be translated"
    return "" if refusal is None else str(refusal.reason)
