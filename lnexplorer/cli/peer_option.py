"""--provider of a run: who is timed beside the kernels."""

import argparse
from importlib.metadata import entry_points

from lnexplorer.domain.peers import DEFAULT_PEERS, KNOWN_PEERS, check_peers, in_order
from lnexplorer.domain.ranges import RangeError, read_names
from lnexplorer.domain.request import RunRequest
from lnkernels.launch import STRATEGIES, Problem
from lnkernels.launch.names import is_provider_name

NONE = "none"


def add_provider_option(parser: argparse.ArgumentParser) -> None:
    """--provider."""
    text = (
        f"who is timed beside the kernels, by comma, of {', '.join((*KNOWN_PEERS, *STRATEGIES))} and the providers of other "
        f"packages; {NONE} for none. What is not installed is said. Default: {','.join(DEFAULT_PEERS)}."
    )
    parser.add_argument("--provider", metavar="NAMES", help=text)


def with_providers(
    request: RunRequest | list[Problem], options: argparse.Namespace
) -> tuple[RunRequest, tuple[str, ...]] | list[Problem]:
    """A request and who is timed beside it, or everything that is wrong with both."""
    providers = read_providers(options.provider)
    problems = [*(request if isinstance(request, list) else ()), *([providers] if isinstance(providers, Problem) else ())]
    if problems or isinstance(request, list) or isinstance(providers, Problem):
        return problems
    return request, providers


def read_providers(text: str | None) -> tuple[str, ...] | Problem:
    """The names in an option's text, or what is wrong with it."""
    if text is None:
        return DEFAULT_PEERS
    if text == NONE:
        return ()
    try:
        names = tuple(dict.fromkeys(read_names(text)))
    except RangeError as error:
        return Problem("provider", error.part or "nothing", error.allowed)
    known = in_order(
        {
            *KNOWN_PEERS,
            *STRATEGIES,
            *(point.name for point in entry_points(group="lnkernels.providers") if is_provider_name(point.name)),
        }
    )
    unknown = [name for name in names if name not in known]
    if unknown:
        return Problem("provider", ", ".join(unknown), f"choose of {', '.join(known)}, or {NONE}")
    problems = check_peers(names)
    return problems[0] if problems else names
