"""Documents that a field keeps apart are no versions of each other at ingest either."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.installation.document_settings import configure

pytestmark = pytest.mark.cluster
Make = Callable[..., str]
ACTIONS = pytest.mark.parametrize("action", ["skip", "replace", "flag", "link"])
WHERE = pytest.mark.parametrize("where", ["index", "another run", "run", "batch"])


@pytest.fixture(params=["owner", "owner.keyword"])
def owned(desk: Any, request: pytest.FixtureRequest) -> Any:
    """An index whose documents are kept apart by their owners."""
    mapped: dict[str, Any] = {"type": "keyword"}
    if request.param != "owner":
        mapped = {"type": "text", "fields": {"keyword": mapped}}
    desk.client.indices.put_mapping(index=desk.name, properties={"owner": mapped})
    configure(desk.client, desk.name, {"within": request.param})
    return desk


def document(id: str, text: str, *owners: str) -> dict[str, Any]:
    return {"_id": id, "text": text, **({"owner": [*owners]} if owners else {})}


def write(
    desk: Any, first: Mapping[str, Any], second: Mapping[str, Any], action: str, where: str
) -> str:
    """Write two documents, and return the status of the second."""
    if where == "index":
        desk.put([first])
    elif where == "another run":
        # Searches do not see it yet: its reservation says that it is there.
        desk.client.indices.put_settings(index=desk.name, settings={"refresh_interval": -1})
        desk.write([first], action)
    else:
        batch = 1 if where == "run" else 1000
        return str(desk.write([first, second], action, batch=batch)[second["_id"]])
    return str(desk.write([second], action)[second["_id"]])


@WHERE
@ACTIONS
@pytest.mark.parametrize("kind", ["copy", "version"])
def test_what_another_owner_has_is_written_as_it_is(
    owned: Any, make_text: Make, revise: Make, action: str, where: str, kind: str
) -> None:
    text = make_text(1)
    other = text if kind == "copy" else revise(text, 3)
    written = write(owned, document("a", text, "x"), document("b", other, "y"), action, where)
    assert (written, set(owned.documents())) == ("written", {"a", "b"})
    assert not any(owned.marks().values())
    assert owned.records() == []


@WHERE
@pytest.mark.parametrize("owners", [(), ("x",), ("x", "y")])
def test_what_has_the_same_owners_is_a_copy(
    owned: Any, make_text: Make, where: str, owners: tuple[str, ...]
) -> None:
    first, second = document("a", make_text(1), *owners), document("b", make_text(1), *owners[::-1])
    assert write(owned, first, second, "skip", where) == "skipped"


@pytest.mark.parametrize(("one", "other"), [((), ("x",)), (("x",), ()), (("x", "y"), ("x",))])
def test_other_owners_are_others_and_none_is_one_of_them(
    owned: Any, make_text: Make, one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    first, second = document("a", make_text(1), *one), document("b", make_text(1), *other)
    assert write(owned, first, second, "skip", "index") == "written"


@pytest.mark.parametrize("alone", [True, False])
def test_copies_of_others_however_many_do_not_hide_that_of_the_owner(
    owned: Any, make_text: Make, alone: bool
) -> None:
    text = make_text(1)
    owned.put([document(f"x{number}", text, f"x{number}") for number in range(40)])
    owned.put([document("last", text, "y")])
    rest = [] if alone else [document(f"n{number}", make_text(number + 2)) for number in range(20)]
    written = owned.write([document("new", text, "y"), *rest], "skip")
    assert written["new"] == "skipped"
    assert {status for id, status in written.items() if id != "new"} <= {"written"}


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
    owned: Any, make_text: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.ingestion.deduplication import version_policy

    text = make_text(1)
    owned.put([document("a", text, "x"), document("other", text, "y")])

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(version_policy, "delete_replaced", killed)
        with pytest.raises(KeyboardInterrupt):
            owned.write([document("b", f"{text} and more", "x")], "replace", keep="longest")
    assert set(owned.documents()) == {"a", "b", "other"}
    owned.write([document("c", make_text(2), "x")], "replace", keep="longest")
    assert set(owned.documents()) == {"b", "c", "other"}
