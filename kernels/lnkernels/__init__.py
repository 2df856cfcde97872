"""LayerNorm and RMSNorm on Triton kernels. `lnkernels.launch` and `lnkernels.values` are free of
torch, and so is this package until one of the names below is asked for.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lnkernels.call.dropout import dropout, fused_dropout_add_layer_norm
    from lnkernels.call.functional import LayerNorm, layer_norm, rms_norm

__all__ = ["LayerNorm", "dropout", "fused_dropout_add_layer_norm", "layer_norm", "rms_norm"]
_FILES = {
    "LayerNorm": "call.functional",
    "dropout": "call.dropout",
    "fused_dropout_add_layer_norm": "call.dropout",
    "layer_norm": "call.functional",
    "rms_norm": "call.functional",
}


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
    return found


class _WithExports:
    """An import hook: defines the operators as soon as torch's reader of exported programs is
    imported, because a program may hold them.
    """

    reader = "torch._export.serde.serialize"

    def find_spec(self, name: str, *_: object) -> None:
        if name == self.reader:
            sys.meta_path.remove(self)
            import_module(f"{__name__}.call.functional")
            import_module(f"{__name__}.call.dropout")


if _WithExports.reader in sys.modules:
    import_module(f"{__name__}.call.dropout")
else:
    sys.meta_path.insert(0, _WithExports())
