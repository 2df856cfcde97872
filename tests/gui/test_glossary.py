"""The catalogue keeps to the glossary."""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest

from lnexplorer.store.resources import resource


@dataclass(frozen=True, slots=True)
class Term:
    """A term in English, and the one word for it in Simplified Chinese."""

    english: str
    forms: tuple[str, ...]  # as whole words, in small letters
    chinese: str
    never: tuple[str, ...] = ()  # other Chinese words for the same thing


GLOSSARY = (
    Term(
        "normalization",
        ("normalization", "normalize", "normalized", "normalizes"),
        "归一化",
        ("标准化", "规范化", "正规化"),
    ),
    Term("reduction", ("reduction", "reductions"), "归约", ("规约", "约简", "化简", "归纳")),
    Term("buffer", ("buffer", "buffers"), "缓冲区", ("缓存区", "缓冲器", "缓冲池")),
    Term("lock", ("lock", "locks"), "锁", ("互斥量", "互斥体")),
    Term("bias", ("bias",), "偏置", ("偏差项", "偏移量")),
    Term("warp", ("warp", "warps"), "warp", ("线程束",)),
    Term("sweep", ("sweep", "sweeps"), "参数扫描", ("扫参",)),
    Term("occupancy", ("occupancy",), "占用率", ("占有率",)),
)


def translations() -> list[tuple[str, str]]:
    root = ElementTree.parse(resource("translations/lnexplorer_zh_CN.ts")).getroot()
    found = [
        (message.findtext("source", ""), message.findtext("translation", ""))
        for message in root.iter("message")
    ]
    return [(source, translation) for source, translation in found if translation]


@pytest.mark.parametrize("term", GLOSSARY, ids=lambda term: term.english)
def test_a_term_has_its_one_word_wherever_it_stands_and_no_other(term: Term) -> None:
    word = re.compile(rf"\b({'|'.join(term.forms)})\b", re.IGNORECASE)
    found = translations()
    meant = [pair for pair in found if word.search(re.sub(r"&|\{[^{}]*\}", "", pair[0]))]
    assert meant
    assert [pair for pair in meant if term.chinese not in pair[1]] == []
    assert [pair for pair in found if any(other in pair[1] for other in term.never)] == []
