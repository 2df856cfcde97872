"""The page that a report is: its look, and tables in it."""

from collections.abc import Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --text: #15181c; --muted: #565f6b; --line: #cfd4db; --own: #E69F00;
  --peer: #56B4E9; --good: #00734f; --bad: #b3261e; --none: #e4e7eb; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --page: #16191d; --text: #eceff3; --muted: #a5adb8; --line: #3a4049;
  --good: #3ecf8e; --bad: #ff6b5e; --none: #2b3037; --link: #7cacf8; } }
@page { margin: 14mm; }
@media print { :root { --page: #ffffff; --text: #000000; --muted: #444444; --line: #999999; --good: #00734f; --bad: #b3261e;
  --none: #e4e7eb; } body { max-width: none; margin: 0; font-size: 12px; } svg, pre, tr { break-inside: avoid; }
  h2 { break-after: avoid; } thead { display: table-header-group; } a { color: inherit; text-decoration: none; } }
* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { background: var(--page); color: var(--text); font: 16px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif;
  max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1rem 0 0; }
.muted { color: var(--muted); } .good { color: var(--good); } .bad { color: var(--bad); }
table { border-collapse: collapse; margin: 0.5rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; } .wide { overflow-x: auto; } .beside { display: flex; flex-wrap: wrap; gap: 0 3rem; }
a { color: var(--link); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: 0.5rem; }
svg { max-width: 100%; height: auto; margin: 0.5rem 0.5rem 0.5rem 0; } svg text { fill: var(--text); font-size: 13px; }
svg text.muted { fill: var(--muted); } svg text.on-dark { fill: #ffffff; } svg text.on-bright { fill: #000000; }
.own { fill: var(--own); } .peer { fill: var(--peer); } .thin { fill-opacity: 0.55; } .sample { fill: var(--text); opacity: 0.4; }
.none { fill: var(--none); } .best { fill: none; stroke: var(--bad); stroke-width: 3; }
.wrong { stroke: var(--bad); stroke-width: 2; fill: none; } .grid { stroke: var(--line); }
.spread { stroke: var(--text); stroke-width: 2; } .ceiling { stroke: var(--muted); stroke-dasharray: 4 3; }
"""


def page(title: str, body: Sequence[str]) -> str:
    """A whole page. It loads nothing, follows the reader's light or dark, and can be printed.

    Args:
        title: text.
        body: HTML.
    """
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(filter(None, body)) + "\n</body></html>\n"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int) -> str:
    """A table; its head stands on every page that it is printed on.

    Args:
        titles: text; all empty for a table without a head.
        rows: HTML.
        numbers_from: the first column of numbers.
    """

    def cells(tag: str, values: Sequence[str]) -> str:
        kinds = (' class="number"' if place >= numbers_from else "" for place in range(len(values)))
        return "".join(f"<{tag}{kind}>{value}</{tag}>" for kind, value in zip(kinds, values, strict=True))

    head = f"<thead><tr>{cells('th', [escape(title) for title in titles])}</tr></thead>" if any(titles) else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="wide"><table>{head}<tbody>{body}</tbody></table></div>'


def verdict(*, good: bool, words: str) -> str:
    """A word in the colour of its meaning."""
    return f'<span class="{"good" if good else "bad"}">{escape(words)}</span>'
