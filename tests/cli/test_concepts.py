"""`es-simhash files concepts`: what is read from a file, marked and listed; no cluster."""

import json
from pathlib import Path
from typing import Any

import pytest

# ESC, CSI of one character, right-to-left override, bell.
STEERING = "\x1b[31m\x9b2J\u202e\x07"
TEXT = (
    "The European Central Bank raised interest rates. Christine Lagarde told reporters in "
    "Frankfurt that inflation remains too high; inflation hurts."
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, "utf-8")
    return path


def shown(run: Any, *arguments: object) -> Any:
    done = run("files", "concepts", *arguments, "--format", "json")
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


def is_harmless(printed: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in printed)


def test_the_json_has_entities_with_their_places_and_weighed_concepts(run: Any, file: Path) -> None:
    found = shown(run, file)
    assert list(found) == ["language", "entities", "concepts", "phrases", "vector", "vocabulary"]
    assert (found["language"], found["vector"]) == ("en", True)
    entities = {each["text"]: each for each in found["entities"]}
    assert {"European Central Bank", "Christine Lagarde", "Frankfurt"} <= set(entities)
    for name, each in entities.items():
        assert [TEXT[start:end] for start, end in each["spans"]] == [name] * each["count"]
    weights = list(found["concepts"].values())
    assert weights == sorted(weights, reverse=True)
    assert found["concepts"]["inflation"] > found["concepts"]["reporter"]
    assert "the" not in found["concepts"]


def test_the_table_shows_the_text_and_what_is_in_it(run: Any, file: Path) -> None:
    done = run("files", "concepts", file)
    assert (done.status, done.err) == (0, "")
    out = " ".join(done.out.split())
    assert "raised interest rates" in out
    assert "Christine Lagarde ×1" in out
    assert "Language en, with a vector." in out
    assert "\x1b" not in done.out


def test_entities_and_words_are_marked_where_colours_are_wanted(
    run: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.delenv("NO_COLOR", raising=False)
    [first, *_] = run("files", "concepts", file).out.splitlines()
    assert "\x1b[1;36mChristine\x1b[0m" in first
    assert "\x1b[1;36mLagarde\x1b[0m" in first
    assert "\x1b[32minflation\x1b[0m" in first
    assert "\x1b[32mthat" not in first


@pytest.mark.parametrize("form", ["json", "table"])
def test_a_file_steers_no_terminal(run: Any, tmp_path: Path, form: str) -> None:
    path = tmp_path / "text.txt"
    path.write_text(f"{STEERING} Christine {STEERING} Lagarde\tspoke {TEXT}\r\n{STEERING}", "utf-8")
    done = run("files", "concepts", path, "--format", form)
    assert (done.status, done.err) == (0, "")
    assert is_harmless(done.out), ascii(done.out)


def test_no_vectors_and_a_language_are_taken_as_said(run: Any, file: Path) -> None:
    found = shown(run, file, "--vectors", "none", "--language", "de")
    assert (found["vector"], found["language"]) == (False, "de")


def test_a_vocabulary_names_its_concepts(run: Any, file: Path, tmp_path: Path) -> None:
    synonyms = tmp_path / "synonyms.txt"
    synonyms.write_text("interest rate, bank rate\n", "utf-8")
    [named] = shown(run, file, "--vocabulary", synonyms)["vocabulary"]
    assert named["label"] == "interest rate"
    [(start, end)] = named["spans"]
    assert TEXT[start:end] == "interest rates"
    assert "interest rate" in run("files", "concepts", file, "--vocabulary", synonyms).out


@pytest.mark.parametrize("text", ["", "🎉", "the of and", "1 2 3", "x" * 20_000, "一"])
def test_any_text_can_be_shown(run: Any, tmp_path: Path, text: str) -> None:
    path = tmp_path / "text.txt"
    path.write_text(text, "utf-8")
    assert isinstance(shown(run, path)["concepts"], dict)
    assert run("files", "concepts", path).status == 0


@pytest.mark.parametrize(
    "options",
    [
        ["--extractor", "magic"],
        ["--extractor", "spacy:no_such_pipeline"],
        ["--vectors", "glove"],
        ["--vectors", "field:mine"],
        ["--vectors", "python:no_such_module:embed"],
        ["--entity-field", "people"],
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(
    run: Any, file: Path, options: list[str]
) -> None:
    run("files", "concepts", file, *options).refusal()


def test_a_file_that_is_not_there_or_no_text_is_refused(run: Any, tmp_path: Path) -> None:
    run("files", "concepts", tmp_path / "absent.txt").refusal()
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    run("files", "concepts", binary).refusal()


def test_broken_synonyms_are_refused_with_their_line(run: Any, file: Path, tmp_path: Path) -> None:
    synonyms = tmp_path / "synonyms.txt"
    synonyms.write_text("good, fine\na => b => c\n", "utf-8")
    assert "2" in run("files", "concepts", file, "--vocabulary", synonyms).refusal()
