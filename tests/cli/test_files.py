"""Commands that read texts: `compare`, `fingerprint`, `related --text-file`."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash.text.limits import MAX_CHUNKS

ONE = "The harbour opens at six in the morning. Boats wait outside until the light turns green."
OTHER = "The  HARBOUR opens at six\nin the morning. Boats wait outside until the light turns green."
NO_CLUSTER = "http://127.0.0.1:9"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "a.txt", tmp_path / "b.txt"
    for path, text in zip(paths, (ONE, OTHER), strict=True):
        path.write_text(text, "utf-8")
    return paths


def reading(file: Path) -> list[list[str]]:
    """Every command that reads a text, with this file."""
    return [
        ["files", "fingerprint", str(file)],
        ["files", "compare", str(file), str(file)],
        ["related", "a", "--text-file", str(file), "--url", NO_CLUSTER],
    ]


def test_compare_prints_these_keys(run: Any, files: tuple[Path, Path]) -> None:
    done = run("files", "compare", *files, "--format", "json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    assert list(found) == [
        "id", "kind", "score", "coverage", "evidence", "index", "source", "truncated",
        "semantics", "copies", "dismissed", "joined", "common", "reuse", "direction", "document",
        "fields",
        "log_odds", "scoring",
    ]  # fmt: skip
    assert (found["kind"], found["score"], found["id"]) == ("exact", 1.0, None)
    assert found["coverage"] == {"of_query": 1.0, "of_hit": 1.0}
    [passage] = found["evidence"]
    assert (passage["kind"], passage["changed"]) == ("verbatim", 0)
    assert (passage["query"]["start"], passage["hit"]["start"]) == (0, 0)
    assert passage["hit"]["text"] == OTHER[: passage["hit"]["end"]]


def test_compare_says_it_in_words(run: Any, files: tuple[Path, Path]) -> None:
    out = " ".join(run("files", "compare", *files).out.split())
    assert "is the same text as" in out
    assert "exact, score 1.00" in out


def test_compare_of_unrelated_or_empty_texts_is_none(run: Any, tmp_path: Path) -> None:
    texts = [ONE, "Nobody knows when the quarry was dug, nor who cut its first stone.", "", "…"]
    paths = [tmp_path / f"{n}.txt" for n in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    for a, b in ((0, 1), (0, 2), (2, 2), (2, 3), (3, 0)):
        found = json.loads(run("files", "compare", paths[a], paths[b], "--format", "json").out)
        assert (found["kind"], found["evidence"]) == ("none", [])
        # Words of two texts are never quite unlike; a text without words is like none.
        least, most = (0.001, 0.1) if (a, b) == (0, 1) else (0.0, 0.0)
        assert least <= found["score"] <= most


@pytest.mark.parametrize("more", [[], ["--changes"], ["--method", "token-simhash"]])
def test_standard_input_is_compared_with_a_file_alone(run: Any, more: list[str]) -> None:
    done = run("files", "compare", "-", "-", *more)
    assert done.status == 2
    assert done.err.endswith("Error: - can be one of A and B: standard input is read once.\n")


def test_a_text_that_is_not_utf8_is_refused(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes("Grüße".encode("latin-1"))
    for command in reading(path):
        sentence = run(*command).refusal()
        assert "latin1.txt' is not UTF-8: byte 2 is 0xfc. Convert it" in sentence


def test_a_missing_file_is_refused(run: Any, tmp_path: Path) -> None:
    for command in reading(tmp_path / "absent.txt"):
        assert "absent.txt' cannot be read" in run(*command).refusal()
    for command in reading(tmp_path):
        assert "cannot be read" in run(*command).refusal()


def test_fifty_megabytes_are_refused(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    line = b"The harbour opens at six in the morning.\n"
    path.write_bytes(line * (50 * 1024 * 1024 // len(line)))
    for command in reading(path):
        assert "The text has 50.0 MiB, more than the 16" in run(*command).refusal()


@pytest.mark.long
def test_a_hundred_thousand_chunks_are_refused(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    # A sentence of eight tokens, the least a chunk has.
    path.write_text("One two three four five six seven eight. " * 100_000, "utf-8")
    sentence = run("files", "compare", path, path).refusal()
    assert f"The text has 100000 chunks, and at most {MAX_CHUNKS} are possible" in sentence


def test_another_scheme_is_taken_and_an_unknown_one_refused(
    run: Any, files: tuple[Path, Path]
) -> None:
    name = "doc64-word2-b4.chunk128-char4-t8-60.shingle24-word4-w12.v2"
    assert run("files", "compare", *files, "--scheme", name).status == 0
    assert "Unknown scheme 'md5'" in run("files", "compare", *files, "--scheme", "md5").refusal()
    assert "Unknown scheme 'md5'" in run("install", "a", "--scheme", "md5").refusal()


# ESC, bell, backspace, a CSI of one character, right-to-left override, delete, a null.
STEERING = "\x1b[31m \x1b]0;title\x07 \x08 \x9b2J \u202e \x7f \x00"


def is_harmless(shown: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in shown)


@pytest.mark.parametrize("form", ["json", "table"])
def test_a_file_steers_no_terminal(run: Any, tmp_path: Path, form: str) -> None:
    paths = tmp_path / "a\x1b[31m.txt", tmp_path / "b\x9b2J.txt"
    for path in paths:
        path.write_text(f"The light turns {STEERING} green when {STEERING} boats wait.", "utf-8")
    for command in (["files", "compare", *paths], ["files", "fingerprint", paths[0]]):
        done = run(*command, "--format", form)
        assert done.status == 0
        assert done.out
        assert is_harmless(done.out), ascii(done.out)
    found = json.loads(run("files", "compare", *paths, "--format", "json").out)
    assert STEERING in found["evidence"][0]["query"]["text"]


def test_a_bad_file_name_steers_no_terminal(run: Any, tmp_path: Path) -> None:
    assert is_harmless(run("files", "compare", tmp_path / "\x1b[31m", "b").refusal())
    assert is_harmless(run("files", "fingerprint", tmp_path / "\x9b31m").refusal())


def test_json_leaves_letters_of_every_script(run: Any, tmp_path: Path) -> None:
    text = "中文 العربية हिन्दी Größe 😀"
    path = tmp_path / "a.txt"
    path.write_text(text, "utf-8")
    done = run("files", "compare", path, path, "--format", "json")
    assert text.removesuffix(" 😀") in done.out
