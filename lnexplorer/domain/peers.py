"""Peers: the providers that are timed beside a run's own kernels, and how a missing provider is
installed.
"""

from collections.abc import Iterable
from dataclasses import replace

from lnkernels.launch import STRATEGIES, Problem, is_provider_name
from lnkernels.launch.source import KernelSource, find_source
from lnkernels.values import Sentence, as_sentence, say

DEFAULT_PEERS: tuple[str, ...] = ("torch",)
# Peers that search for settings, for a minute a shape: timed where they are named.
TUNED_PEERS = ("torch.compile-max", "quack-tuned")
USUAL_PEERS = (
    "torch",
    "torch.compile",
    "liger",
    "liger-cute",
    "quack",
    "apex",
    "flash-attn",
    "cudnn",
)
KNOWN_PEERS = (*USUAL_PEERS, *TUNED_PEERS)
MOST_PEERS = 12  # a chart with more lines says nothing
CEILINGS = ("copy", "add")
# They compile for seconds when they are first called with a shape; what somebody waits for is not
# to wait for them.
SLOW = frozenset({"torch.compile", "liger-cute", "quack", "flash-attn", *TUNED_PEERS})
# How one that is not installed is had.
INSTALL = {
    "liger": "pip install liger-kernel",
    "liger-cute": "pip install liger-kernel nvidia-cutlass-dsl",
    "quack": "pip install quack-kernels",
    "quack-tuned": "pip install quack-kernels",
    "flash-attn": "pip install flash-attn",
    "cudnn": "pip install nvidia-cudnn-frontend",
    "apex": "build NVIDIA Apex with its CUDA extensions",
}
# Where the kernels that a compiler shows are, by norm.
SHOWN_KERNELS = {
    "torch.compile": {
        "layer_norm": "lnkernels.providers.compiled_by_torch:layer_norm",
        "rms_norm": "lnkernels.providers.compiled_by_torch:rms_norm",
    },
    "liger": {
        "layer_norm": "liger_kernel.ops.layer_norm:LigerLayerNormFunction",
        "rms_norm": "liger_kernel.ops.rms_norm:LigerRMSNormFunction",
    },
    "flash-attn": {
        "layer_norm": "flash_attn.ops.triton.layer_norm:layer_norm_fn",
        "rms_norm": "flash_attn.ops.triton.layer_norm:rms_norm_fn",
    },
}


def kernels_of_peer(name: str, norm: str) -> KernelSource | Problem:
    """Return where the kernels of a peer are, or why they cannot be compiled to be looked at."""
    places = SHOWN_KERNELS.get(name)
    if places is None:
        why = say("its kernels are neither Triton's nor in a library that a file brings along")
    elif norm not in places:
        why = say("of a peer only LayerNorm and RMSNorm without a residual are shown")
    else:
        return replace(find_source(places[norm]), name=name)
    return Problem("kernel", name, why)


def check_peers(names: Iterable[str]) -> list[Problem]:
    """List what is wrong with a choice, whatever is installed; the worker says what is missing."""
    chosen = tuple(names)
    problems = [
        Problem(
            "provider",
            name or "nothing",
            say("take the name of a provider, such as torch; copy and add are the ceilings"),
        )
        for name in chosen
        if not name.strip() or name in CEILINGS
    ]
    if len(chosen) > MOST_PEERS:
        problems.append(
            Problem(
                "provider", f"{len(chosen)} names", say("choose at most {most}", most=MOST_PEERS)
            )
        )
    return problems


def beside(peers: Iterable[str], *own: str) -> tuple[str, ...]:
    """Return the peers without the run's own strategy, each once."""
    return tuple(name for name in dict.fromkeys(peers) if name not in own)


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Sort names as they are listed everywhere: the usual peers, the strategies, then others by
    name.
    """
    usual = (*KNOWN_PEERS, *STRATEGIES)
    given = set(names)
    return (*(name for name in usual if name in given), *sorted(given.difference(usual)))


def known_providers() -> tuple[str, ...]:
    """List the names of all providers, those that other packages declare among them."""
    from importlib.metadata import (
        entry_points,
    )  # with a mail parser and more, which the window's start can do without

    declared = [point.name for point in entry_points(group="lnkernels.providers")]
    return in_order([*KNOWN_PEERS, *STRATEGIES, *filter(is_provider_name, declared)])


def with_hint(name: str, reason: Sentence | str) -> Sentence:
    """Add to why a provider is missing how it is installed."""
    hint = INSTALL.get(name)
    said = as_sentence(reason)
    return (
        say("{reason}: {hint}", reason=said, hint=hint)
        if hint and str(said).endswith("is not installed")
        else said
    )


def preparing(name: str) -> Sentence:
    """Name the step of a run in which a peer is compiled and checked."""
    return say("preparing {name}", name=name)
