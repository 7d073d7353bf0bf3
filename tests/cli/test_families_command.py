"""`es-simhash families run` and `es-simhash families dismiss` as a user calls them."""

import json
from collections.abc import Callable
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from es_simhash import EsSimhashError, IndexMissing, MappingConflict
from es_simhash.cli.config_command import config
from es_simhash.cli.families_command import dismiss, list_families, run_families, same
from es_simhash.cli.main import cli
from es_simhash.maintenance.families.whole_run import WholeRun
from es_simhash.pairs.document_families import families_in_memory

pytestmark = pytest.mark.cluster

Texts = dict[str, str]
Call = Callable[..., Result]


@pytest.fixture
def call(cluster_url: str) -> Call:
    """Call a command with the address of the engine."""

    def run(command: click.Command, *arguments: str) -> Result:
        result = CliRunner().invoke(command, [*arguments, "--url", cluster_url])
        if isinstance(result.exception, EsSimhashError):
            raise result.exception
        return result

    return run


def test_the_families_are_listed_and_counted(shelf: Any, texts: Texts, call: Call) -> None:
    shelf.put(texts)
    first = call(run_families, shelf.name)
    assert first.exit_code == 0
    assert "20 documents" not in first.stderr
    names = shelf.names()
    lines = first.stdout.splitlines()
    place = next(place for place, line in enumerate(lines) if names["t0-1"] in line)
    assert {"t0-1", "t0-2", "t0-3"} == {line.split()[-2] for line in lines[place : place + 3]}
    assert first.stdout.endswith(
        f"{len(texts)} documents processed, 8 families of two or more, "
        f"{len(texts)} documents written.\n"
    )
    again = call(run_families, shelf.name)
    assert again.stdout == (
        "0 documents processed, 0 families of two or more, 0 documents written.\n"
    )
    everything = call(run_families, shelf.name, "--all", "--dry-run")
    assert "8 families of two or more, 0 documents to write." in everything.stdout


def test_a_run_that_goes_on_where_one_was_interrupted_says_so(
    shelf: Any, texts: Texts, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    shelf.put(texts)
    with monkeypatch.context() as patch:
        patch.setattr(WholeRun, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            shelf.find()
    shelf.put({"new": texts["t0-1"]})
    resumed = call(run_families, shelf.name)
    assert "what was written since it had read all documents" in resumed.stderr
    assert shelf.names()["new"] is None
    again = call(run_families, shelf.name)
    assert "Resumed" not in again.stderr
    assert shelf.names()["new"] == shelf.names()["t0-1"]


def test_json_has_all_members_and_the_representative_first(
    shelf: Any, texts: Texts, call: Call
) -> None:
    shelf.put(texts)
    found = json.loads(call(run_families, shelf.name, "--dry-run", "--format", "json").stdout)
    assert found["dry_run"] is True
    assert found["written"] == len(texts)
    expected = [each for each in families_in_memory(texts) if len(each) > 1]
    assert sorted(each["members"] for each in found["families"]) == expected
    assert {None} == set(shelf.names().values())


@pytest.mark.long
def test_a_dismissal_and_its_undoing(shelf: Any, texts: Texts, call: Call) -> None:
    shelf.put(texts)
    call(run_families, shelf.name)
    assert "Dismissed t4-1 and t4-2." in call(dismiss, shelf.name, "t4-1", "t4-2").stdout
    call(run_families, shelf.name)
    names = shelf.names()
    assert names["t4-1"] != names["t4-2"]
    assert (
        "Removed the dismissal of t4-2 and t4-1."
        in call(dismiss, shelf.name, "t4-2", "t4-1", "--undo").stdout
    )
    call(run_families, shelf.name)
    names = shelf.names()
    assert names["t4-1"] == names["t4-2"]


def test_documents_that_are_left_are_named(
    shelf: Any, client: Any, texts: Texts, call: Call, make_text: Callable[..., str]
) -> None:
    shelf.put(texts)
    client.update(index=shelf.name, id="t0-1", doc={"text": make_text(88)}, refresh=True)
    result = call(run_families, shelf.name)
    assert "1 document skipped" in result.stderr
    assert "t0-1" in result.stderr


def test_an_index_that_is_not_there_or_has_no_fingerprints_is_refused(
    client: Any, index_name: str, call: Call
) -> None:
    with pytest.raises(IndexMissing, match="does not exist"):
        call(run_families, index_name)
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match="no fingerprint fields"):
        call(run_families, index_name)


def test_a_rule_that_needs_a_date_says_so(shelf: Any, call: Call) -> None:
    with pytest.raises(EsSimhashError, match="needs a date") as refused:
        call(run_families, shelf.name, "--representative", "newest")
    assert refused.value.parameter == "date_field"
    result = call(cli, "families", "run", shelf.name, "--representative", "newest")
    assert result.exit_code == 1
    assert result.stderr.endswith(" Set --date-field.\n")


def test_an_alias_over_two_indices_has_families_across_them(
    shelf: Any, client: Any, texts: Texts, call: Call
) -> None:
    from es_simhash.fingerprints.text_fingerprints import fingerprint
    from es_simhash.store.codec import simhash_object
    from es_simhash.store.fields import DEFAULT_FIELD
    from es_simhash.store.installation.install import install

    other, alias = f"{shelf.name}-b", f"{shelf.name}-both"
    install(client, other, semantics=None)
    client.indices.update_aliases(
        actions=[{"add": {"index": name, "alias": alias}} for name in (shelf.name, other)]
    )
    try:
        shelf.put({"t0-1": texts["t0-1"], "t9-1": texts["t9-1"]})
        document = {
            "text": texts["t0-2"],
            DEFAULT_FIELD: simhash_object(fingerprint(texts["t0-2"])),
        }
        client.index(index=other, id="t0-2", document=document, refresh=True)
        call(run_families, alias)
        stored = client.get(index=other, id="t0-2")["_source"][DEFAULT_FIELD]
        assert stored["family"] == shelf.names()["t0-1"] != shelf.names()["t9-1"]
        with pytest.raises(EsSimhashError, match="several indices"):
            call(run_families, f"{shelf.name},{other}")
    finally:
        client.indices.delete(index=[other, f"{alias}-simhash"], ignore_unavailable=True)


def test_stored_families_are_listed_without_a_run(shelf: Any, texts: Texts, call: Call) -> None:
    shelf.put(texts)
    assert call(list_families, shelf.name).stdout == (
        "No families of two or more documents are stored; "
        f"`es-simhash families run {shelf.name}` finds them.\n"
    )
    found = json.loads(call(run_families, shelf.name, "--format", "json").stdout)["families"]
    shelf.put({"late": texts["t0-1"] + " Late."})
    listed = json.loads(call(list_families, shelf.name, "--format", "json").stdout)
    assert listed == found
    assert shelf.names()["late"] is None
    assert (
        "8 families of two or more documents, 20 documents in all."
        in call(list_families, shelf.name).stdout
    )


@pytest.mark.long
def test_a_field_keeps_families_apart_on_the_command_line(
    shelf: Any, texts: Texts, call: Call
) -> None:
    shelf.client.indices.put_mapping(
        index=shelf.name, properties={"owner": {"type": "keyword"}, "note": {"type": "text"}}
    )
    owners = {"t0-1": "Nordkai", "t0-2": "海潮公司", "t0-3": "Nordkai"}
    chosen = {id: texts[id] for id in ("t0-1", "t0-2", "t0-3", "t5-1")}
    shelf.write(
        {"id": id, "text": text, **({"owner": owners[id]} if id in owners else {})}
        for id, text in chosen.items()
    )
    call(same, shelf.name, "t0-1", "t0-2")
    first = call(run_families, shelf.name, "--within", "owner")
    assert "1 family of two or more" in first.stdout
    assert "1 document without a value of 'owner', in no family with one that has: t5-1." in (
        first.stderr
    )
    assert "1 joined pair with different values of 'owner' stays in two families" in first.stderr
    found = json.loads(call(run_families, shelf.name, "--all", "--format", "json").stdout)
    assert (found["within"], found["valueless"]) == ("owner", ["t5-1"])
    assert found["parted"] == [["t0-1", "t0-2"]]
    assert [sorted(each["members"]) for each in found["families"]] == [["t0-1", "t0-3"]]
    with pytest.raises(MappingConflict, match="not as a keyword"):
        call(run_families, shelf.name, "--within", "note")
    joined = call(run_families, shelf.name, "--within", "")
    assert "1 family of two or more" in joined.stdout
    assert len(shelf.families()) == 2


def test_the_configured_field_is_named_where_another_is_used(
    shelf: Any, texts: Texts, call: Call
) -> None:
    properties = {name: {"type": "keyword"} for name in ("owner", "part")}
    shelf.client.indices.put_mapping(index=shelf.name, properties=properties)
    call(config, shelf.name, "--within", "owner")
    shelf.put(texts)
    done = call(run_families, shelf.name, "--within", "part")
    assert "Field within 'part' is used in place of 'owner'" in done.stderr
