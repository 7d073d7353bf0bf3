"""What is read from a few texts is what was published."""

from typing import Any

import pytest

from es_simhash.store import semantic_conformance


def test_the_texts_are_read_as_published() -> None:
    assert list(semantic_conformance.differences()) == []


def test_a_difference_is_reported_with_the_name_of_its_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built = semantic_conformance.computed()
    changed: list[dict[str, Any]] = [{**built[0], "language": "xx"}, *built[1:]]
    monkeypatch.setattr(semantic_conformance, "computed", lambda: changed)
    [difference] = semantic_conformance.differences()
    assert difference.startswith(f"{built[0]['name']}: ")
    assert "'xx'" in difference
