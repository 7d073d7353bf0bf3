"""Names of schemes say all parameters, and other schemes are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import SchemeError, SchemeMismatch
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme, require_same_scheme


@st.composite
def schemes(draw: st.DrawFn) -> Scheme:
    bits = draw(st.sampled_from([64, 128]))
    least = draw(st.integers(1, 100))
    return Scheme(
        bits,
        draw(st.integers(2, bits // 2)),
        least,
        draw(st.integers(least, 200)),
        draw(st.integers(1, 64)),
    )


@given(schemes())
def test_a_name_gives_its_scheme_back(scheme: Scheme) -> None:
    assert Scheme.parse(scheme.name) == scheme


@given(schemes(), schemes())
def test_different_schemes_have_different_names(one: Scheme, other: Scheme) -> None:
    assert (one.name == other.name) == (one == other)


def test_the_name_of_the_default_scheme_never_changes() -> None:
    assert DEFAULT.name == "doc128-word2-b8.chunk128-char4-t8-60.shingle24-word4-w12.v2"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "simhash",
        DEFAULT.name + " ",
        DEFAULT.name + "\n",
        DEFAULT.name.upper(),
        DEFAULT.name.replace("v2", "v1"),
        DEFAULT.name.replace("word4", "word5"),
        DEFAULT.name.replace("char4", "char5"),
        DEFAULT.name.replace("doc128", "doc256"),
        DEFAULT.name.replace("b8", "b1"),
        DEFAULT.name.replace("b8", "b65"),
        DEFAULT.name.replace("t8", "t0"),
        DEFAULT.name.replace("t8", "t61"),
        DEFAULT.name.replace("w12", "w0"),
        DEFAULT.name.replace("w12", "w65"),
        DEFAULT.name.replace("w12", "w-1"),
    ],
)
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(SchemeError):
        Scheme.parse(name)


@pytest.mark.parametrize(
    "parameters",
    [
        {"bits": 32},
        {"bits": 256},
        {"blocks": 1},
        {"blocks": 65},
        {"bits": 64, "blocks": 33},
        {"min_chunk_tokens": 0},
        {"min_chunk_tokens": 9, "max_chunk_tokens": 8},
        {"window": 0},
        {"window": 65},
    ],
)
def test_impossible_parameters_are_refused_and_named(parameters: dict[str, int]) -> None:
    with pytest.raises(SchemeError, match=str(list(parameters.values())[-1])):
        Scheme(**parameters)


def test_fingerprints_of_two_schemes_are_not_compared() -> None:
    with pytest.raises(SchemeMismatch, match="b13"):
        require_same_scheme(DEFAULT.name, Scheme(blocks=13).name)
    require_same_scheme(DEFAULT.name, Scheme().name)


@pytest.mark.parametrize("digits", ["08", "٨", "9" * 5000])
def test_a_scheme_has_one_name_only(digits: str) -> None:
    with pytest.raises(SchemeError):
        Scheme.parse(DEFAULT.name.replace("b8", f"b{digits}"))
