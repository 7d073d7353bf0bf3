"""Documents that a field keeps apart are no versions of each other at ingest either."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.installation.document_settings import configure

pytestmark = pytest.mark.cluster
Make = Callable[..., str]
KEYWORD = {"type": "keyword"}
WHERE = ("index", "another run", "run", "batch")


def keep_apart(desk: Any, field: str, mapped: Mapping[str, Any]) -> None:
    """Keep documents apart by their owners."""
    desk.client.indices.put_mapping(index=desk.name, properties={"owner": mapped})
    configure(desk.client, desk.name, {"within": field})


@pytest.fixture
def owned(desk: Any) -> Any:
    """An index whose documents are kept apart by their owners."""
    keep_apart(desk, "owner", KEYWORD)
    return desk


def document(id: str, text: str, *owners: Any) -> dict[str, Any]:
    return {"_id": id, "text": text, **({"owner": [*owners]} if owners else {})}


def write(
    desk: Any, first: Mapping[str, Any], *others: Mapping[str, Any], action: str, where: str
) -> list[str]:
    """Write a document, and others after it; return the status of these."""
    if where == "index":
        desk.put([first])
    elif where == "another run":
        # Searches do not see it yet: its reservation says that it is there.
        desk.client.indices.put_settings(index=desk.name, settings={"refresh_interval": -1})
        desk.write([first], action)
    written = desk.write(
        others if where in WHERE[:2] else [first, *others],
        action,
        batch=1 if where == "run" else 1000,
    )
    return [written[each["_id"]] for each in others]


@pytest.mark.parametrize(
    ("action", "where"),
    [
        *(("skip", where) for where in WHERE),
        *(("replace", where) for where in WHERE[1:]),
        *(("flag", "index"), ("link", "index"), ("link", "batch")),
    ],
)
def test_what_another_owner_has_is_written_as_it_is(
    owned: Any, make_text: Make, revise: Make, action: str, where: str
) -> None:
    text = make_text(1)
    copy, version = document("b", text, "y"), document("c", revise(text, 3), "z")
    first = document("a", text, "x")
    assert write(owned, first, copy, version, action=action, where=where) == ["written"] * 2
    assert set(owned.documents()) == {"a", "b", "c"}
    assert not any(owned.marks().values())
    assert owned.records() == []


@pytest.mark.parametrize(
    ("where", "owners"),
    [*((where, ("x",)) for where in WHERE), ("index", ("x", "y")), ("another run", ())],
)
def test_what_has_the_same_owners_is_a_copy(
    owned: Any, make_text: Make, where: str, owners: tuple[str, ...]
) -> None:
    first, second = document("a", make_text(1), *owners), document("b", make_text(1), *owners[::-1])
    assert write(owned, first, second, action="skip", where=where) == ["skipped"]


def test_several_owners_are_another_than_one_of_them_and_so_is_none(
    owned: Any, make_text: Make
) -> None:
    first = document("a", make_text(1), "x", "y")
    others = [document("b", make_text(1), "x"), document("c", make_text(1))]
    assert write(owned, first, *others, action="skip", where="index") == ["written"] * 2


def test_the_field_may_be_a_part_of_another(desk: Any, make_text: Make) -> None:
    keep_apart(desk, "owner.keyword", {"type": "text", "fields": {"keyword": KEYWORD}})
    first = document("a", make_text(1), "x")
    others = [document("b", make_text(1), "y"), document("c", make_text(1), "x")]
    assert write(desk, first, *others, action="skip", where="index") == ["written", "skipped"]


@pytest.mark.parametrize("alone", [True, False])
def test_copies_of_others_however_many_do_not_hide_that_of_the_owner(
    owned: Any, make_text: Make, alone: bool
) -> None:
    text = make_text(1)
    owned.put([document(f"x{number}", text, f"x{number}") for number in range(40)])
    # In a keyword field this is "true".
    owned.put([document("last", text, True), document("none", text)])
    rest = [] if alone else [document(f"n{number}", make_text(number + 2)) for number in range(20)]
    written = owned.write([document("new", text, True), *rest], "skip")
    assert written == {"new": "skipped", **{each["_id"]: "written" for each in rest}}
    assert owned.write([document("too", text)], "skip") == {"too": "skipped"}


def test_a_linked_document_has_the_family_that_a_run_of_families_finds(
    owned: Any, make_text: Make, revise: Make
) -> None:
    text = make_text(1)
    documents = [
        document(f"{owner}{number}", revise(text, number), owner)
        for owner in "xy"
        for number in (2, 3)
    ]
    owned.write(documents, "link")
    before = {id: marks["family"] for id, marks in owned.marks().items()}
    assert before["x2"] == before["x3"] != before["y2"] == before["y3"]
    find_families(owned.client, owned.name)
    after = {id: marks["family"] for id, marks in owned.marks().items()}
    assert after == before


def test_what_a_killed_run_had_still_to_delete_is_deleted_by_the_next(
    owned: Any, make_text: Make
) -> None:
    text = make_text(1)
    owned.put([document("a", text, "x"), document("other", text, "y")])

    owned.write_killed([document("b", f"{text} and more", "x")], "replace", keep="longest")
    assert set(owned.documents()) == {"a", "b", "other"}
    owned.write([document("c", make_text(2), "x")], "replace", keep="longest")
    assert set(owned.documents()) == {"b", "c", "other"}
