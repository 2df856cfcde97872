"""The few shapes that pictures inside a page are made of. They take the page's colours, light or dark, and print sharply."""

from collections.abc import Sequence
from html import escape

# As the window draws them; a name that is not here takes one of OTHERS.
COLOURS = {
    "locked": "#E69F00",
    "persistent": "#E0457B",
    "split": "#8F7BE8",
    "atomic": "#A6761D",
    "auto": "#8A949E",
    "torch": "#56B4E9",
    "torch.compile": "#0072B2",
    "liger": "#009E73",
    "quack": "#CC79A7",
    "apex": "#D55E00",
}
OTHERS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00")


def begin(width: float, height: float, title: str) -> str:
    """The tag that opens a picture."""
    return (
        f'<svg role="img" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
        f' xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>'
    )


def text(x: float, y: float, words: str, *, anchor: str = "start", weight: str = "normal", kind: str = "") -> str:
    """Words, from, around or up to a place."""
    of = f' class="{kind}"' if kind else ""
    return f'<text{of} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def path(points: Sequence[tuple[float, float]], colour: str) -> str:
    """A line through points."""
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{through}"/>'


def dot(x: float, y: float, colour: str, tip: str = "", radius: float = 3.0) -> str:
    """A point, with words for the cursor."""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    return f'<circle fill="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}">{title}</circle>'


def cross(x: float, y: float, tip: str) -> str:
    """Where something is wrong."""
    arms = f"M{x - 4:.1f},{y - 4:.1f} l8,8 m0,-8 l-8,8"
    return f'<path class="wrong" d="{arms}"><title>{escape(tip)}</title></path>'


def box(x: float, y: float, width: float, height: float, colour: str, tip: str = "", kind: str = "") -> str:
    """A filled rectangle, with words for the cursor."""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    of = f' class="{kind}"' if kind else f' fill="{colour}"'
    return f'<rect{of} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}">{title}</rect>'


def colour_of(name: str, place: int = 0) -> str:
    """The colour of a strategy or a peer."""
    return COLOURS.get(name, OTHERS[place % len(OTHERS)])
