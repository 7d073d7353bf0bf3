"""The language of a text, by script and stop words."""

import json
from pathlib import Path

import pytest

from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.word_lists import stop_lists

# Lists we have for languages that another with nearly the same words takes the texts of, or that
# are not looked for.
NOT_TOLD = {"srp_latn", "azj_cyrl", "yor", "hat_popular"}


def _documents(folder: Path) -> list[dict[str, str]]:
    lines = (folder / "docs.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def test_languages_with_a_stop_list_are_detected_on_the_declaration_of_rights(
    data_dir: Path,
) -> None:
    wrong = {
        each["variant"]: detect_language(each["text"])
        for each in _documents(data_dir / "udhr")
        if each["lang"] in stop_lists() and detect_language(each["text"]) != each["lang"]
    }
    assert wrong.keys() <= NOT_TOLD


@pytest.mark.parametrize(
    ("name", "language", "least"),
    [
        ("bbc_news", "en", 1.0),
        ("law_versions_de", "de", 0.99),
        ("law_versions_zh", "zh", 1.0),
        ("thucnews_zh", "zh", 0.99),
    ],
)
def test_the_language_of_news_and_laws_is_detected(
    data_dir: Path, name: str, language: str, least: float
) -> None:
    documents = _documents(data_dir / name)
    right = sum(detect_language(each["text"]) == language for each in documents)
    assert right >= least * len(documents)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sat on the mat", "en"),
        ("Dies ist ein kurzer Satz", "de"),
        ("le chat et le chien", "fr"),
        ("привет, как дела у вас", "ru"),
        ("東京タワーは高い", "ja"),
        ("北京大学", "zh"),
        ("한국어 문장", "ko"),
        ("Xin chào các bạn", "vi"),
        ("שלום לכולם", "he"),
        ("Αυτό είναι", "el"),
        ("ภาษาไทย", "th"),
        ("他在Microsoft和Google工作", "zh"),
    ],
)
def test_the_language_of_short_texts_is_detected(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "🙂", "2024-11-21", "zxqv brrgl", "\ud800", "\x00"])
def test_nothing_fits_texts_of_no_language(text: str) -> None:
    assert detect_language(text) == ""


def test_decomposed_letters_tell_the_same() -> None:
    assert detect_language("Xin cha\u0300o ca\u0301c ba\u0323n") == "vi"
