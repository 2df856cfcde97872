"""The catalogue keeps to the glossary."""

import re
from xml.etree import ElementTree

import pytest

from lnexplorer.gui.i18n.glossary import GLOSSARY, Term
from lnexplorer.store.resources import resource


def translations() -> list[tuple[str, str]]:
    root = ElementTree.parse(resource("translations/lnexplorer_zh_CN.ts")).getroot()
    found = [(message.findtext("source", ""), message.findtext("translation", "")) for message in root.iter("message")]
    return [(source, translation) for source, translation in found if translation]


@pytest.mark.parametrize("term", GLOSSARY, ids=lambda term: term.english)
def test_a_term_has_its_one_word_wherever_it_stands(term: Term) -> None:
    word = re.compile(rf"\b({'|'.join(term.forms)})\b", re.IGNORECASE)
    meant = [(source, translation) for source, translation in translations() if word.search(source.replace("&", ""))]
    assert meant
    assert [pair for pair in meant if term.chinese not in pair[1]] == []


@pytest.mark.parametrize("term", GLOSSARY, ids=lambda term: term.english)
def test_no_other_word_stands_for_it(term: Term) -> None:
    assert [pair for pair in translations() if any(other in pair[1] for other in term.never)] == []
