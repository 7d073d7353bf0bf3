"""One pair has one share, whoever shows it: coverage, rounded alike."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.text.counting import percent
from tests.cli.conftest import Done, call, run
from tests.support.pages import Page
from tests.support.service import Serve, serve, tenants

__all__ = ["call", "run", "serve", "tenants"]
pytestmark = pytest.mark.cluster

OLDER, NEWER = "a1", "a2"


def shares(text: str) -> list[str]:
    """Return both sides of the sentence that says a coverage."""
    (found,) = set(re.findall(r"(\d+%) of A appears in B, (\d+%) of B appears in A", text))
    return list(found)


@pytest.mark.long
def test_every_door_shows_the_same_share_of_a_pair(
    tenants: str, call: Callable[..., Done], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    http = serve(tenants)

    def asked(command: str, *arguments: str) -> str:
        done = call(*command.split(), tenants, *arguments)
        assert done.status == 0, done
        return done.out

    (answer,) = json.loads(asked("related", "--id", OLDER, "--format", "json"))
    (relation,) = (each for each in answer["relations"] if each["id"] == NEWER)
    coverage = relation["coverage"]
    both = [percent(coverage["of_query"]), percent(coverage["of_hit"])]
    # It says something only if the two sides differ from all, from nothing and from each other.
    assert len({*both, "0%", "100%"}) == 4

    (row,) = (
        line for line in asked("related", "--id", OLDER).splitlines() if f"│ {NEWER} " in line
    )
    assert re.findall(r"\d+%", row) == both
    assert shares(asked("explain", OLDER, NEWER)) == both
    assert shares(asked("changes", OLDER, NEWER)) == both
    assert shares(Page(asked("changes", OLDER, NEWER, "--format", "html")).words) == both
    history = asked("changes", "--family", OLDER).split(f"({NEWER})")[1]
    assert shares(history.partition("Title of b1")[0]) == both
    family = asked("families show", OLDER)
    (member,) = (line for line in family.splitlines() if f"│ {NEWER} " in line)
    assert re.findall(r"\d+%", member)[0] == both[0]

    compared = Page(http.get(f"/explorer/compare/{OLDER}/{NEWER}").text)
    assert shares(compared.words) == both
    members = Page(http.get(f"/explorer/families/{OLDER}").text)
    assert f"{both[0]} of the one before appears in it" in members.words
    # What the widget shows: tests/widget has how.
    served: Any = http.get(f"/v1/related/{OLDER}").json()
    (hit,) = (each for each in served["relations"] if each["id"] == NEWER)
    assert hit["coverage"] == coverage
