"""What tuning can be asked, once for `python -m lnkernels.tune` and for the command line of the explorer."""

import argparse
from collections.abc import Callable

from lnkernels.launch.settings_table import MANY_ROWS
from lnkernels.launch.shapes import DTYPES
from lnkernels.launch.tuned import KINDS

WIDTHS = (1024, 2048, 4096, 8192, 16384, 32768)
ROWS = (4096,)
LARGEST_N, LARGEST_M = 1 << 20, 1 << 24


def add_tune_options(parser: argparse.ArgumentParser) -> None:
    """Widths, element types, kinds, time and device."""
    parser.add_argument(
        "--n", type=_number(LARGEST_N), nargs="+", default=list(WIDTHS), metavar="N", help=f"widths of x; {_listed(WIDTHS)}"
    )
    parser.add_argument(
        "--m",
        type=_number(LARGEST_M),
        nargs="+",
        default=list(ROWS),
        metavar="M",
        help=f"numbers of rows; settings with the least product of times over all of them win, in the forward pass over those "
        f"below {MANY_ROWS} and over the others apart; {_listed(ROWS)}",
    )
    parser.add_argument(
        "--dtype",
        nargs="+",
        choices=DTYPES,
        default=["float16"],
        help="element types; what is found for one of two bytes holds for the other; float16",
    )
    parser.add_argument(
        "--kind",
        nargs="+",
        choices=tuple(KINDS),
        default=list(KINDS),
        help="rows: backward of strategy persistent; split: that of strategy split; forward: all of them; everything",
    )
    parser.add_argument(
        "--minutes", type=_minutes, metavar="MINUTES", help="try no further candidate after this time; no limit if not given"
    )
    parser.add_argument("--device", type=_device, default="cuda:0", metavar="cuda:N", help="the GPU; cuda:0")


def _listed(values: tuple[int, ...]) -> str:
    return " ".join(map(str, values))


def _number(largest: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= largest:
            raise argparse.ArgumentTypeError(f"{text} is not possible: take a whole number from 1 to {largest}")
        return int(text)

    return read


def _minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take a number of minutes above 0")
    return value


def _device(text: str) -> str:
    name, _, number = text.partition(":")
    if name != "cuda" or not (number or "0").isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not possible: take cuda:0, cuda:1 and so on")
    return f"cuda:{int(number or '0')}"
