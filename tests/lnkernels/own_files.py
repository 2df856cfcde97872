"""Files with kernels of one's own, and what is wrong with them."""

from pathlib import Path

from lnkernels.check.verifier import Verifier
from lnkernels.launch.source import KernelSource, find_source
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


def reason(given: str, case: Case) -> str:
    """Give what is wrong with a file or function, which its name tells; nothing where it is right."""
    refusal = why_not(FileProvider(find_source(given)), Verifier(case))
    assert refusal is None or refusal.reason.template != "{text}", "it can be translated"
    return "" if refusal is None else str(refusal.reason)


class OwnFile:
    """A file in a folder of a test, with a text of its own each time that it is asked for."""

    def __init__(self, folder: Path, case: Case) -> None:
        self.folder = folder
        self._case = case

    def write(self, text: str, name: str = "mine.py", *, function: str = "") -> str:
        """Write a text, and give what a command line would name."""
        path = self.folder / name
        path.write_text(text)
        return f"{path}:{function}" if function else str(path)

    def source(self, text: str, name: str = "mine.py", *, function: str = "") -> KernelSource:
        return find_source(self.write(text, name, function=function))

    def provider(self, text: str, name: str = "mine.py", *, function: str = "") -> FileProvider:
        return FileProvider(self.source(text, name, function=function))

    def reason(
        self,
        text: str,
        name: str = "mine.py",
        *,
        function: str = "",
        case: Case | None = None,
    ) -> str:
        """Give what is wrong with a text."""
        return reason(self.write(text, name, function=function), case or self._case)
