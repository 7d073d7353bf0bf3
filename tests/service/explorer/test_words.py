"""Kinds, navigation and buttons of the explorer in the language of the reader."""

import re
from typing import Any

import pytest

from es_simhash.service.explorer.words import (
    WORDS,
    language_of,
    read_in,
    reader_language,
)
from tests.support.service import Serve
from tests.support.widget_site import SCRIPT

# What the widget calls what a page calls so.
WIDGET = {
    "same text": "exact",
    "version": "version",
    "shared passages": "shares_passages",
    "similar subject": "semantic",
    "other version": "versions",
    "Compare": "compare",
}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("pt-BR,pt;q=0.9,hi;q=0.5,en;q=0.4", "hi"),
        ("en-GB,en;q=0.9,ar;q=0.8", "en"),
        ("zh-Hant-TW;q=0.7, FR ; q=0.8", "fr"),
        ("ar;q=0", "en"),
        ("*, ;;, de;q=x, <script>", "en"),
        ("de;q=1.1.1", "en"),
    ],
)
def test_the_language_that_a_browser_prefers_is_taken(accepted: str, language: str) -> None:
    assert language_of(accepted) == language


def test_words_are_read_in_a_language_for_a_while() -> None:
    with read_in("de"):
        assert reader_language() == "de"
    assert reader_language() == "en"


def test_the_widget_says_the_same() -> None:
    source = SCRIPT.read_text("utf-8")
    for language, words in WORDS.items():
        (table,) = re.findall(rf"\n    {language}: \{{(.*?)\n    \}}", source, re.DOTALL)
        texts = dict(re.findall(r'(\w+): "([^"]*)"', table))
        assert all(words[ours] == texts[theirs] for ours, theirs in WIDGET.items()), language


@pytest.mark.cluster
def test_pages_speak_the_language_of_their_reader(tenants: str, serve: Serve) -> None:
    http = serve(tenants)

    def shown(path: str, language: str) -> Any:
        answer = http.get(f"/explorer/{path}", headers={"Accept-Language": f"{language}-XX, en"})
        assert answer.status_code == 200
        assert answer.headers["vary"] == "Accept-Language"
        return answer.text

    german = shown("documents/a1", "de")
    assert '<a href="/explorer/overview"><span lang="de">Überblick</span></a>' in german
    assert '<span class="dim"><span lang="de">Fassung</span></span>' in german
    assert re.search(r'<related-documents [^>]*lang="de"', german)
    # Rendered in a thread.
    arabic = shown("compare/a1/a2", "ar")
    assert '<span lang="ar" dir="rtl">بدّل الجانبين</span>' in arabic
    chinese = shown("families/a1", "zh")
    assert 'aria-current="page"><span lang="zh">版本族</span>' in chinese
    assert re.search(r'<span lang="zh">字符</span>: \d+', chinese)
    assert ' lang="' not in shown("", "pt").replace('<html lang="en">', "")
