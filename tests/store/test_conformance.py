"""The published vectors, and the second implementation of the specification."""

import json
from copy import deepcopy
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.store import conformance
from es_simhash.store.conformance import Vector, describe
from scripts import build_vectors
from tests.support import reference
from tests.support.strategies import long_texts, texts

VECTORS = conformance.vectors()
BY_NAME = {vector["name"]: vector for vector in VECTORS}

schemes = st.builds(
    Scheme,
    st.sampled_from([64, 128]),
    st.integers(2, 32),
    st.integers(1, 10),
    st.integers(10, 60),
    st.integers(1, 20),
)


def test_the_published_vectors_hold() -> None:
    assert conformance.check(VECTORS) == []


def test_the_published_vectors_are_those_of_the_input_file() -> None:
    assert build_vectors.vectors() == VECTORS


def test_names_of_vectors_are_unique() -> None:
    assert len(BY_NAME) == len(VECTORS) >= 60


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_second_implementation_gives_the_vector(vector: Vector) -> None:
    expected = reference.describe(vector["text"], vector["scheme"])
    assert {"name": vector["name"], **expected} == vector


@given(texts, schemes)
def test_both_implementations_agree_on_any_text(text: str, scheme: Scheme) -> None:
    assert describe(text, scheme) == reference.describe(text, scheme.name)


@given(long_texts, schemes)
def test_both_implementations_agree_on_long_texts(text: str, scheme: Scheme) -> None:
    assert describe(text, scheme) == reference.describe(text, scheme.name)


@pytest.mark.variants
@pytest.mark.parametrize("name", ["udhr", "pep_versions", "law_versions_zh", "law_versions_de"])
def test_both_implementations_agree_on_real_texts(data_dir: Path, name: str) -> None:
    path = data_dir / name / "docs.jsonl"
    if not path.exists():
        pytest.skip(f"no data set {name}")
    with path.open(encoding="utf-8") as lines:
        contents = [json.loads(line)["text"] for line in lines]
    for text in contents[:: max(1, len(contents) // 30)][:30]:
        # The plain implementation is quadratic in nothing, but slow: 4,000 characters a text.
        part = text[:4000]
        assert describe(part) == reference.describe(part, Scheme().name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("composed", "decomposed"),
        ("flowing", "hard-wrapped"),
        ("flowing", "hard-wrapped with carriage returns"),
        ("German capitals", "German small letters"),
    ],
)
def test_vectors_of_one_text_in_two_forms_are_equal(one: str, other: str) -> None:
    assert BY_NAME[one]["simhash"] == BY_NAME[other]["simhash"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("soft hyphens", "without soft hyphens"),
        ("two words", "two words, other case and space"),
    ],
)
def test_vectors_that_differ_in_punctuation_alone_have_equal_fingerprints(
    one: str, other: str
) -> None:
    left, right = BY_NAME[one]["simhash"], BY_NAME[other]["simhash"]
    assert {**left, "content_hash": ""} == {**right, "content_hash": ""}
    assert left["content_hash"] != right["content_hash"]


def test_a_difference_names_the_vector_and_both_values() -> None:
    wrong = deepcopy(BY_NAME["two words"])
    wrong["simhash"]["fingerprint"] = "0" * 32
    alone, together = conformance.check([wrong])
    assert alone.startswith("two words: simhash, from character")
    assert "should be" in alone
    assert "0000000000" in alone
    assert together.startswith("two words: simhash in a batch")


def test_a_missing_member_is_a_difference() -> None:
    short = {key: value for key, value in BY_NAME["two words"].items() if key != "tokens"}
    assert len(conformance.check([short])) == 1


def test_writing_the_vectors_again_changes_nothing(tmp_path: Path) -> None:
    published = Path(str(files("es_simhash"))) / "data"
    build_vectors.write_vectors(tmp_path)
    build_vectors.write_profiles(tmp_path)
    for name in ("vectors.json", "semantic_profiles.json"):
        assert (tmp_path / name).read_bytes() == (published / name).read_bytes()


def test_the_vectors_are_plain_ascii() -> None:
    path = Path(str(files("es_simhash"))) / "data" / "vectors.json"
    assert path.read_bytes().isascii()
