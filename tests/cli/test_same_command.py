"""`es-simhash families same` and what other commands show of it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def three(desk: Any, make_text: Make) -> Any:
    """An index of three texts that share nothing."""
    desk.put([{"_id": id, "text": make_text(n)} for n, id in enumerate("abc", 1)])
    return desk


def decided(index: Any, call: Any) -> Any:
    return json.loads(call("families", "decisions", index.name, "--format", "json").out)


@pytest.mark.long
def test_a_join_is_made_listed_shown_and_removed(three: Any, call: Any) -> None:
    assert call("families", "decisions", three.name).out == "No decisions.\n"
    done = call("families", "same", three.name, "b", "a", "c")
    assert done.out == (
        f"Joined a and b, b and c. Run `es-simhash families run {three.name}` to apply it to "
        "families.\n"
    )
    assert "joined" in call("families", "decisions", three.name).out
    listed = json.loads(call("families", "decisions", three.name, "--format", "json").out)
    assert listed == [
        {"ids": ["a", "b"], "reason": "joined", "run": None},
        {"ids": ["b", "c"], "reason": "joined", "run": None},
    ]
    assert "version (joined)" in call("related", three.name, "--id", "a").out
    explained = call("explain", three.name, "a", "c").out
    assert "joined: a person decided that they are versions" in explained
    assert json.loads(call("explain", three.name, "a", "b", "--format", "json").out)["joined"]
    assert "3 documents" in call("families", "run", three.name).out
    assert "Family" in call("families", "show", three.name, "a").out
    assert "(joined)" in call("families", "show", three.name, "a").out
    removed = call("families", "same", three.name, "a", "b", "--undo")
    assert removed.out.startswith("Removed the join of a and b.")
    assert removed.err == ""
    assert (
        "were not joined, so there is nothing to undo"
        in call("families", "same", three.name, "a", "b", "--undo").refusal()
    )


def test_what_is_still_joined_over_others_is_said(three: Any, call: Any) -> None:
    call("families", "same", three.name, "a", "b", "c")
    call("families", "same", three.name, "b", "c")
    removed = call("families", "same", three.name, "b", "c", "--undo")
    assert removed.err == "b and c are still joined over a.\n"
    assert "joined over 'a'" in call("families", "same", three.name, "b", "c", "--undo").refusal()


def test_both_ways_out_of_a_contradiction_are_named(three: Any, call: Any) -> None:
    call("families", "dismiss", three.name, "a", "b")
    error = call("families", "same", three.name, "a", "b").refusal()
    assert f"es-simhash families dismiss {three.name} a b --undo" in error
    assert error.endswith("Set --replace.\n")
    assert call("families", "same", three.name, "a", "b", "--replace").status == 0
    assert {pair["reason"] for pair in decided(three, call)} == {"joined"}
    error = call("families", "dismiss", three.name, "a", "b").refusal()
    assert f"es-simhash families same {three.name} a b --undo" in error
    assert error.endswith("Set --replace.\n")
    assert call("families", "dismiss", three.name, "a", "b", "--replace").status == 0
    assert {pair["reason"] for pair in decided(three, call)} == {"dismissed"}


def test_documents_that_are_not_there_are_rejected(three: Any, call: Any) -> None:
    assert (
        "'nobody' is not in index" in call("families", "same", three.name, "a", "nobody").refusal()
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Give the ids of two documents or more."),
        (("a",), "Give the ids of two documents or more."),
        (("a", "b", "--undo", "--replace"), "give one of them"),
    ],
)
def test_what_makes_no_sense_together_is_refused(
    call: Any, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in call("families", "same", "articles", *arguments).wrong_usage()
