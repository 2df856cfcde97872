"""Pages of HTML that hold all they need: texts in both languages, styles, scripts, and their data.

The reader chooses the language: a page goes to others than who made it.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import jinja2
from markupsafe import Markup, escape

from lnexplorer import __version__
from lnexplorer.store.resources import resource
from lnkernels.values import Sentence, say, translated

# In their order.
SCRIPTS = ("words", "timeline", "captions", "drawing", "replay", "lecture", "page")
LookUp = Callable[[str], str]  # from an English template to that of another language
_SAID = re.compile(r'\bsay\(\s*("(?:[^"\\]|\\.)*")')


def render(template: str, look_up: LookUp, data: Any, **values: Any) -> str:
    """Make a page of a template. Nothing on it is loaded from anywhere, and no script runs but its
    own, whatever stands in its texts.

    Args:
        template: name of its file.
        look_up: the Chinese of its texts.
        data: for the scripts, plain values; the Chinese of their sentences is added. Empty where
            none shall run.
        values: for the template.
    """
    script = script_of() if data else ""
    style = resource("page/page.css").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("lnexplorer.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["say"] = say
    environment.filters["both"] = lambda text: _both(text, look_up)
    environment.filters["named"] = lambda text: _named(text, look_up)
    sentences = {text: look_up(text) for text in sentences_in(script)}
    return environment.get_template(template).render(
        version=__version__,
        allowed=(
            f"default-src 'none'; img-src data:; style-src {_hash(style)};"
            f" script-src {_hash(script)}"
        ),
        script=Markup(script),
        style=Markup(style),
        data={"sentences": sentences, **data},
        **values,
    )


def script_of() -> str:
    """Join the modules of resources/page into one script that leaves nothing behind."""
    texts = [resource(f"page/{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    joined = re.sub(r"^import [^;]*;\n", "", "\n".join(texts), flags=re.MULTILINE)
    plain = re.sub(r"^export ", "", joined, flags=re.MULTILINE)
    return f'"use strict";\n(() => {{\n{plain}}})();\n'


def sentences_in(script: str) -> list[str]:
    """Return the templates in the calls of `say`."""
    return [json.loads(text) for text in _SAID.findall(script)]


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _both(text: Sentence | str, look_up: LookUp) -> Markup:
    """Write a text in both languages, of which the page shows one; once where they are the same."""
    english, other = str(text), translated(text, look_up)
    if english == other:
        return escape(english)
    spans = '<span lang="en">{}</span><span lang="zh-Hans">{}</span>'
    return Markup(spans).format(english, other)


def _named(text: Sentence, look_up: LookUp) -> Markup:
    """Return attributes that name and explain a control, in both languages."""
    named = 'data-en="{0}" data-zh="{1}" title="{0}" aria-label="{0}"'
    return Markup(named).format(str(text), translated(text, look_up))
