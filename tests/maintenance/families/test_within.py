"""Families that a field keeps apart: editions of different owners, products or sources."""

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from es_simhash import InputError, MappingConflict
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_writer import FamilyWriter
from es_simhash.maintenance.families.find_families import find_families, stored_families
from es_simhash.maintenance.sweeps.sweep import sweep
from es_simhash.pairs.document_families import families_in_memory
from es_simhash.store.installation.document_settings import configure, document_settings
from es_simhash.store.installation.noted_pairs import family_state
from es_simhash.store.installation.state_index import StateIndex

pytestmark = pytest.mark.cluster

Texts = dict[str, str]
# Owners and products in scripts of every kind; one document has no value.
OWNERS = (
    "海潮公司",
    "شركة الميناء",
    "तटीय लिमिटेड",
    "Nordkai GmbH & Co. KG",
    "Straße 12",
    "स्ट्रीट १२",
)


@pytest.fixture
def archive(shelf: Any) -> Any:
    """An index whose documents have an owner, of keywords."""
    owner = {"type": "keyword", "ignore_above": 100}
    title = {"type": "text", "fields": {"raw": {"type": "keyword"}}}
    properties = {"owner": owner, "title": title, "note": {"type": "text"}, "part": owner}
    shelf.client.indices.put_mapping(index=shelf.name, properties=properties)
    return shelf


def put(archive: Any, texts: Texts, owners: dict[str, Any], ids: Iterable[str] = ()) -> None:
    """Write texts with their owners; those without one have no such field."""
    archive.write(
        {"id": id, "text": texts[id], **({"owner": owners[id]} if id in owners else {})}
        for id in ids or texts
    )


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def expected(texts: Texts, owners: dict[str, Any], **more: Any) -> set[frozenset[str]]:
    within = {id: listed(value) for id, value in owners.items()}
    return {frozenset(each) for each in families_in_memory(texts, within=within, **more)}


@pytest.fixture
def editions(texts: Texts) -> tuple[Texts, dict[str, Any]]:
    """Versions and copies of four texts, each of the owners having some."""
    chosen = random.Random(3)
    written = {f"{id}-{copy}": text for id, text in texts.items() for copy in range(3)}
    owners: dict[str, Any] = {id: chosen.choice(OWNERS) for id in written}
    for id in chosen.sample(sorted(written), 8):
        del owners[id]
    return written, owners


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.usefixtures("way")
def test_families_within_a_field_are_those_of_the_oracle(
    archive: Any, editions: tuple[Texts, dict[str, Any]]
) -> None:
    texts, owners = editions
    put(archive, texts, owners)
    report = archive.find(within="owner")
    families = archive.families()
    assert families == expected(texts, owners)
    for family in families:
        assert len({owners.get(id) for id in family}) == 1
    assert any(len(family) > 2 for family in families)
    assert report.valueless == tuple(sorted(texts.keys() - owners.keys()))
    assert (report.within, report.skipped) == ("owner", ())
    # Each name is of one family, and what is stored is what was reported.
    stored = stored_families(archive.client, archive.name)
    assert {frozenset(each.members) for each in stored} == {
        family for family in families if len(family) > 1
    }
    assert archive.find(everything=True).written == 0


@pytest.mark.long
@pytest.mark.variants
def test_the_order_of_writes_and_runs_does_not_matter(
    archive: Any, editions: tuple[Texts, dict[str, Any]], way: str
) -> None:
    texts, owners = editions
    chosen = random.Random(way)
    ids = list(texts)
    chosen.shuffle(ids)
    archive.find(within="owner")
    while ids:
        some, ids = ids[: (size := chosen.randrange(3, 19))], ids[size:]
        put(archive, texts, owners, some)
        # The field of the last run counts.
        assert archive.find().within == "owner"
    assert archive.families() == expected(texts, owners)


def test_copies_of_different_owners_are_families_of_their_own(
    archive: Any, make_text: Callable[..., str]
) -> None:
    texts = {str(number): make_text(1) for number in range(7)}
    owners = {"0": "a", "1": "b", "2": "c", "3": "a", "4": "b"}
    put(archive, texts, owners)
    report = archive.find(within="owner")
    assert archive.families() == {
        frozenset({"0", "3"}), frozenset({"1", "4"}), frozenset({"2"}), frozenset({"5", "6"}),
    }  # fmt: skip
    assert len(set(archive.names().values())) == 4
    assert {len(name or "") for name in archive.names().values()} == {16}
    assert report.valueless == ("5", "6")


def test_several_values_are_compared_as_a_set(archive: Any, make_text: Callable[..., str]) -> None:
    texts = {str(number): make_text(1) for number in range(6)}
    owners: dict[str, Any] = {
        "0": ["a", "b"], "1": ["b", "a", "a"], "2": "a", "3": [], "4": None, "5": "x" * 101,
    }  # fmt: skip
    put(archive, texts, owners)
    report = archive.find(within="owner")
    # A value that the mapping ignores is none.
    assert archive.families() == {
        frozenset({"0", "1"}), frozenset({"2"}), frozenset({"3", "4", "5"}),
    }  # fmt: skip
    assert report.valueless == ("3", "4", "5")


def test_values_count_as_they_are_written(archive: Any, make_text: Callable[..., str]) -> None:
    """Numbers in other scripts, case and spaces make other values, unless the mapping says so."""
    written = {"0": "12", "1": "१२", "2": "١٢", "3": "Acme", "4": "ACME", "5": "12"}
    put(archive, {id: make_text(1) for id in written}, written)
    archive.find(within="owner")
    assert archive.families() == {frozenset({"0", "5"}), *(frozenset(id) for id in "1234")}


@pytest.mark.long
def test_the_newest_edition_of_a_product_represents_its_own_family(
    archive: Any, make_text: Callable[..., str], revise: Callable[..., str]
) -> None:
    handbook = make_text(1, 200)
    client, index = archive.client, archive.name
    client.indices.put_mapping(index=index, properties={"day": {"type": "date"}})
    archive.write(
        {
            "id": f"{product}-{edition}",
            "text": revise(handbook, 10 * number + edition),
            "owner": product,
            "day": f"202{edition}-0{number + 1}-01",
        }
        for number, product in enumerate(OWNERS)
        for edition in range(3)
    )
    mixed = archive.find(representative="newest", date_field="day")
    assert len(mixed.families) == 1
    report = archive.find(within="owner")
    assert {family.representative for family in report.families} == {
        f"{product}-2" for product in OWNERS
    }
    # The one family was split, and said so.
    assert len(report.changes.split) == 1


@pytest.mark.long
def test_another_field_makes_all_families_again_and_an_empty_one_joins_them(
    archive: Any, make_text: Callable[..., str]
) -> None:
    archive.write(
        {"id": f"{owner}{part}", "text": make_text(1), "owner": owner, "part": part}
        for owner in "ab"
        for part in "12"
    )
    archive.find(within="owner")
    assert archive.families() == {frozenset({"a1", "a2"}), frozenset({"b1", "b2"})}
    archive.find(within="part")
    assert archive.families() == {frozenset({"a1", "b1"}), frozenset({"a2", "b2"})}
    assert archive.find(within="", dry_run=True).within is None
    assert len(archive.families()) == 2
    archive.find(within="")
    assert archive.families() == {frozenset({"a1", "a2", "b1", "b2"})}
    assert archive.find().documents == 0


@pytest.mark.long
def test_the_index_may_name_the_field_and_a_sweep_takes_it(
    archive: Any, make_text: Callable[..., str], revise: Callable[..., str]
) -> None:
    client, index = archive.client, archive.name
    configure(client, index, {"within": "owner"})
    assert document_settings(client, index).within == "owner"
    for number, owner in enumerate([*OWNERS, OWNERS[0]]):
        document = {"text": revise(make_text(1), number), "owner": owner}
        client.index(index=index, id=str(number), document=document, refresh=True)
        report = sweep(client, index)
        assert report.families is not None
        assert report.families.within == "owner"
    assert {family for family in archive.families() if len(family) > 1} == {frozenset({"0", "6"})}
    swept = archive.families()
    assert find_families(client, index, options=FamilyOptions(everything=True)).written == 0
    assert archive.families() == swept


@pytest.mark.long
def test_a_run_that_was_killed_is_made_whole_by_the_next(
    archive: Any, editions: tuple[Texts, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, owners = editions
    put(archive, texts, owners)
    archive.find()

    def write_some(writer: Any, changes: Any) -> Any:
        write(writer, changes[: len(changes) // 2])
        raise KeyboardInterrupt

    write = FamilyWriter.write
    with monkeypatch.context() as patched:
        patched.setattr(FamilyWriter, "write", write_some)
        with pytest.raises(KeyboardInterrupt):
            archive.find(within="owner")
    assert archive.find(within="owner").within == "owner"
    assert archive.families() == expected(texts, owners)


def test_what_a_person_joined_stays_apart_and_is_reported(
    archive: Any, make_text: Callable[..., str]
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import join

    texts = {id: make_text(number) for number, id in enumerate("abcd")}
    owners = {"a": "x", "b": "x", "c": "y", "d": "y"}
    put(archive, texts, owners)
    join(archive.client, archive.name, ["a", "b", "c"])
    report = archive.find(within="owner")
    assert archive.families() == {frozenset("ab"), frozenset("c"), frozenset("d")}
    assert report.parted == (("a", "c"),)
    assert archive.find(within="").parted == ()
    assert archive.families() == {frozenset("abc"), frozenset("d")}


@pytest.mark.variants
@pytest.mark.parametrize(
    ("field", "error", "sentence"),
    [
        ("ovner", InputError, "No mapping of .* has a field 'ovner'; the nearest .* 'owner'"),
        ("title", MappingConflict, r"mapped as text, not as a keyword; 'title\.raw' is one"),
        ("note", MappingConflict, r"mapped as text, not as a keyword\. Set within\."),
        ("simhash", MappingConflict, "mapped as object, not as a keyword"),
    ],
)
def test_a_field_that_cannot_keep_apart_is_rejected_and_nothing_written(
    archive: Any, texts: Texts, field: str, error: type[Exception], sentence: str
) -> None:
    archive.put(texts)
    with pytest.raises(error, match=sentence):
        archive.find(within=field)
    with pytest.raises(error, match=sentence):
        configure(archive.client, archive.name, {"within": field})
    assert set(archive.names().values()) == {None}
    assert family_state(StateIndex(archive.client, archive.name, "simhash")).options is None


def test_a_multi_field_and_a_number_keep_apart_too(
    archive: Any, make_text: Callable[..., str]
) -> None:
    archive.client.indices.put_mapping(index=archive.name, properties={"year": {"type": "integer"}})
    archive.write(
        {"id": id, "text": make_text(1), "title": title, "year": year}
        for id, title, year in (("a", "गाइड", 1), ("b", "गाइड", 2), ("c", "دليل", "2"))
    )
    archive.find(within="title.raw")
    assert archive.families() == {frozenset("ab"), frozenset("c")}
    archive.find(within="year")
    assert archive.families() == {frozenset("a"), frozenset("bc")}


def test_a_family_says_which_value_keeps_a_near_document_out(
    archive: Any, make_text: Callable[..., str], revise: Callable[..., str]
) -> None:
    from es_simhash import Index

    client, index = archive.client, archive.name
    configure(client, index, {"within": "owner"})
    texts = {str(number): revise(make_text(1), number) for number in range(4)}
    put(archive, texts, {"0": OWNERS[0], "1": OWNERS[1], "2": OWNERS[0]})
    archive.find()
    family = Index(client, index).family("0")
    assert {member.id for member in family.members} == {"0", "2"}
    near = {document.id: (document.reason, document.because) for document in family.near}
    assert near == {
        "1": ("within", f"owner differs: {OWNERS[0]} / {OWNERS[1]}"),
        "3": ("within", f"owner differs: {OWNERS[0]} / none"),
    }


@pytest.mark.long
@pytest.mark.parametrize("field", ["owner", "title.raw"])
def test_a_document_that_changes_hands_leaves_its_family(
    archive: Any, make_text: Callable[..., str], field: str
) -> None:
    client, index = archive.client, archive.name
    configure(client, index, {"within": field})
    name = field.partition(".")[0]
    documents = [{"id": id, "text": make_text(1), name: "Nordkai"} for id in "abc"]
    assert all(outcome.ok for outcome in ingest(client, index, documents))
    archive.find()
    assert archive.families() == {frozenset("abc")}
    sold = {"id": "c", "text": make_text(1), name: "海潮公司", "n": 1}
    kept = {**documents[1], "n": 1}
    assert all(outcome.ok for outcome in ingest(client, index, [sold, kept]))
    names = archive.names()
    assert (names["a"], names["c"]) == (names["b"], None)
    archive.find()
    assert archive.families() == {frozenset("ab"), frozenset("c")}


def test_what_ingest_linked_across_owners_is_parted_by_the_next_run(
    archive: Any, make_text: Callable[..., str], revise: Callable[..., str], tmp_path: Path
) -> None:
    client, index = archive.client, archive.name
    configure(client, index, {"within": "owner"})
    first = {"id": "a", "text": make_text(1), "owner": "Nordkai"}
    second = {"id": "b", "text": revise(make_text(1), 2), "owner": "شركة الميناء"}
    link = OnVersion("link", audit=tmp_path / "audit.jsonl")
    assert all(outcome.ok for outcome in ingest(client, index, [first]))
    archive.find()
    assert all(outcome.ok for outcome in ingest(client, index, [second], on_version=link))
    archive.find()
    assert archive.families() == {frozenset("a"), frozenset("b")}
