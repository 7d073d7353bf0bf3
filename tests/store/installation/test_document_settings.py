"""What an index says of its documents: stored in its mapping, read by every command."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.errors import InputError, MappingConflict
from es_simhash.store.config import DocumentSettings

pytestmark = pytest.mark.cluster

TEXT = "The keeper of the light writes down wind, weather and every ship that passes the point. "
NEWS = [
    {
        "headline": f"Storm {number}",
        "body": TEXT * 3 + f"It was day {number}.",
        "published": f"2026-03-0{number}",
        "section": "coast",
        "url": f"https://example.org/{number}",
    }
    for number in (1, 2, 3)
]
MAPPING = {
    "headline": {"type": "text"},
    "body": {"type": "text"},
    "published": {"type": "date"},
    "section": {"type": "keyword"},
    "url": {"type": "keyword"},
}


@pytest.fixture
def news(client: Any, index_name: str) -> str:
    """An index of articles, with fields for fingerprints and no settings."""
    from es_simhash.store.installation.install import install

    client.indices.create(index=index_name, mappings={"properties": MAPPING})
    for number, article in enumerate(NEWS, 1):
        client.index(index=index_name, id=str(number), document=article)
    client.indices.refresh(index=index_name)
    install(client, index_name)
    return index_name


def test_settings_are_stored_and_changed_one_by_one(client: Any, news: str) -> None:
    from es_simhash.store.installation.document_settings import configure, document_settings
    from es_simhash.store.installation.install import install

    client.indices.put_mapping(index=news, meta={**_meta(client, news), "owner": "desk"})
    configure(client, news, {"text": "body", "title": "headline"})
    configure(client, news, {"title": None, "min_score": 0.5})
    assert document_settings(client, news) == DocumentSettings(text="body", min_score=0.5)
    assert install(client, news) == []
    assert document_settings(client, news).text == "body"
    assert _meta(client, news)["owner"] == "desk"


def _meta(client: Any, index: str) -> dict[str, Any]:
    found: dict[str, Any] = client.indices.get_mapping(index=index)[index]["mappings"]["_meta"]
    return found


@pytest.mark.variants
@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"title": "headlines"}, "'headline'"),
        ({"date": "section"}, "not as a date"),
        ({"representative": "newest"}, "needs a date"),
        ({"representative": "best"}, "longest"),
        ({"min_score": 2}, "between 0 and 1"),
        ({"link": "https://example.org/"}, "in braces"),
        ({"link": "javascript:{id}"}, "address"),
        ({"link": "https://example.org/{nothing}"}, "'nothing'"),
        ({"colour": "red"}, "'colour'"),
    ],
)
def test_what_cannot_serve_is_rejected_and_nothing_stored(
    client: Any, news: str, changes: dict[str, Any], part: str
) -> None:
    from es_simhash.store.installation.document_settings import configure, document_settings

    with pytest.raises((InputError, MappingConflict), match=part):
        configure(client, news, {"text": "body", **changes})
    assert document_settings(client, news) == DocumentSettings()


def test_a_field_outside_the_mapping_will_do_where_documents_have_it(
    client: Any, index_name: str
) -> None:
    from es_simhash.store.installation.document_settings import configure
    from es_simhash.store.installation.install import install

    client.indices.create(
        index=index_name,
        mappings={"properties": {"raw": {"type": "object", "enabled": False}}},
    )
    install(client, index_name)
    client.index(index=index_name, id="1", document={"raw": {"body": TEXT}}, refresh=True)
    configure(client, index_name, {"text": "raw.body"})
    with pytest.raises(InputError, match=r"'raw\.title'"):
        configure(client, index_name, {"title": "raw.title"})


@pytest.mark.long
def test_every_step_reads_the_text_field_of_the_index(client: Any, news: str) -> None:
    """Backfill, query, families and sweep without naming a field once."""
    from es_simhash import Index
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.maintenance.sweeps.sweep import sweep
    from es_simhash.store.installation.document_settings import configure

    configure(client, news, {"text": "body", "date": "published", "representative": "newest"})
    assert all(outcome.ok for outcome in backfill(client, news))
    client.indices.refresh(index=news)
    index = Index(client, news)
    assert index.config.text_field == "body"
    assert index.config.documents.date == "published"
    assert {relation.id for relation in index.related(id="1")} == {"2", "3"}
    (family,) = find_families(client, news).families
    assert family.representative == "3"
    client.index(index=news, id="4", document={**NEWS[0], "published": "2026-04-01"}, refresh=True)
    assert sweep(client, news).enriched["written"] == 1


def test_a_named_field_counts_more_than_the_one_of_the_index(client: Any, news: str) -> None:
    from es_simhash import Index, IndexConfig
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.store.installation.document_settings import configure

    configure(client, news, {"text": "body"})
    assert Index(client, news, IndexConfig(text_field="text")).config.text_field == "text"
    outcomes = list(backfill(client, news, config=IndexConfig(text_field="headline")))
    assert all(outcome.ok for outcome in outcomes)
    source = client.get(index=news, id="1")["_source"]
    from es_simhash.fingerprints.text_fingerprints import fingerprint

    assert source["simhash"]["content_hash"] == fingerprint("Storm 1").content_hash


def test_indices_behind_an_alias_must_say_the_same(client: Any, news: str) -> None:
    from es_simhash.store.installation.document_settings import configure, document_settings
    from es_simhash.store.installation.install import install

    other, alias = f"{news}-b", f"{news}-all"
    install(client, other)
    try:
        client.index(index=other, id="1", document=NEWS[0], refresh=True)
        for name in (news, other):
            client.indices.put_alias(index=name, name=alias)
        configure(client, news, {"title": "headline"})
        assert document_settings(client, alias).title == "headline"  # one says nothing
        configure(client, other, {"title": "section"})
        with pytest.raises(MappingConflict, match="configured differently: title"):
            document_settings(client, alias)
        configure(client, alias, {"title": "headline"})
        assert document_settings(client, alias).title == "headline"
    finally:
        client.indices.delete(index=other)


def test_a_sidecar_remembers_the_field_it_was_filled_from(client: Any, news: str) -> None:
    from es_simhash import IndexConfig
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.questions.index import open_index

    sidecar = f"{news}-side"
    try:
        config = IndexConfig(text_field="body")
        assert all(each.ok for each in backfill(client, news, config=config, sidecar=sidecar))
        client.indices.refresh(index=sidecar)
        assert {each.id for each in open_index(client, sidecar).related(id="1")} == {"2", "3"}
        again = list(backfill(client, news, sidecar=sidecar))
        assert [outcome.reason for outcome in again if not outcome.ok] == []
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


def test_config_on_the_command_line(
    client: Any, news: str, cluster_url: str, invoke: Callable[..., Any]
) -> None:
    at = ("--url", cluster_url)
    shown = invoke("config", news, "--propose", *at)
    assert "headline" in shown.output
    assert "--accept" in shown.output
    assert invoke("config", news, "--accept", "--text-field", "body", *at).exit_code == 0
    shown = invoke("config", news, *at)
    assert "published" in shown.output
    assert "Nothing is stored" not in shown.output
    refused = invoke("config", news, "--unset", "title-field", "--title-field", "headline", *at)
    assert refused.exit_code == 2
    noted = invoke("backfill", news, "--text-field", "headline", "--dry-run", *at)
    assert "in place of 'body'" in noted.stderr
    rule = ("--representative", "oldest", "--date-field", "published")
    noted = invoke("families", "run", news, *rule, "--dry-run", *at)
    assert "in place of" not in noted.stderr  # the date is the one that is stored
    invoke("config", news, "--representative", "newest", *at)
    noted = invoke("families", "run", news, "--representative", "oldest", "--dry-run", *at)
    assert "Representative 'oldest' is used in place of 'newest'" in noted.stderr


def test_install_proposes_fields_of_an_index_that_says_nothing(
    client: Any, news: str, cluster_url: str, invoke: Callable[..., Any]
) -> None:
    shown = invoke("install", news, "--url", cluster_url)
    assert "text: headline,body, title: headline, date: published" in shown.output
    assert f"es-simhash config {news} --accept" in shown.output
    invoke("config", news, "--accept", "--url", cluster_url)
    assert "look like this" not in invoke("install", news, "--url", cluster_url).output


@pytest.fixture
def invoke() -> Callable[..., Any]:
    """Run `es-simhash` with these arguments."""
    from click.testing import CliRunner

    from es_simhash.cli.main import cli

    return lambda *arguments: CliRunner().invoke(cli, list(arguments))


def test_documents_that_carry_their_id_fit_a_strict_mapping(client: Any, index_name: str) -> None:
    """The id is `_id` already, and a strict mapping takes no member `id`."""
    from es_simhash import Index
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.maintenance.sweeps.sweep import sweep
    from es_simhash.store.installation.document_settings import configure
    from es_simhash.store.installation.install import install

    strict = {"dynamic": "strict", "properties": {"body": {"type": "text"}}}
    client.indices.create(index=index_name, mappings=strict)
    install(client, index_name)
    configure(client, index_name, {"text": "body"})
    documents = [{"id": "1", "body": TEXT * 3}, {"_id": "2", "body": TEXT * 3}]
    assert [each.status for each in ingest(client, index_name, documents)] == ["written"] * 2
    assert [each.status for each in ingest(client, index_name, documents)] == ["unchanged"] * 2
    client.indices.refresh(index=index_name)
    assert sorted(client.get(index=index_name, id="1")["_source"]) == ["body", "simhash"]
    (copy,) = Index(client, index_name).related(id="1")
    assert (copy.id, copy.kind) == ("2", "exact")
    sweep(client, index_name)
    (failed,) = ingest(client, index_name, [{"_id": "3", "id": "own", "body": TEXT}])
    assert "[id]" in str(failed.reason)  # a member that is not the id is not dropped


@pytest.mark.long
def test_a_text_may_be_in_several_fields(
    client: Any, index_name: str, make_text: Callable[..., str]
) -> None:
    """Headline and body are one text in every command; one of them may be missing."""
    from es_simhash import Index
    from es_simhash.fingerprints.text_fingerprints import fingerprint
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.maintenance.sweeps.sweep import sweep
    from es_simhash.store.installation.document_settings import configure
    from es_simhash.store.installation.install import install

    client.indices.create(index=index_name, mappings={"properties": MAPPING})
    install(client, index_name)
    with pytest.raises(InputError, match="'bodies'"):
        configure(client, index_name, {"text": "headline,bodies"})
    configure(client, index_name, {"text": "headline, body"})
    headline, body = make_text(1, 40), make_text(2, 200)
    documents = {
        "whole": {"headline": headline, "body": body},
        "bare": {"body": body},
        "copy": {"headline": headline, "body": body.upper()},
        "none": {"section": "empty"},
    }
    for id, document in documents.items():
        client.index(index=index_name, id=id, document=document, refresh=True)
    outcomes = {each.id: each.status for each in backfill(client, index_name)}
    assert outcomes == {"whole": "written", "bare": "written", "copy": "written",
                        "none": "without_text"}  # fmt: skip
    client.indices.refresh(index=index_name)
    stored = client.get(index=index_name, id="whole")["_source"]["simhash"]
    assert stored["content_hash"] == fingerprint(f"{headline}\n\n{body}").content_hash
    found = {each.id: each for each in Index(client, index_name).related(id="whole")}
    assert {id: each.kind for id, each in found.items()} == {"copy": "exact", "bare": "version"}
    # The headline is a sixth of the whole.
    assert found["bare"].coverage.of_hit > 0.9 > found["bare"].coverage.of_query
    passage = found["bare"].evidence[0].query
    assert f"{headline}\n\n{body}"[passage.start : passage.end] == passage.text
    (family,) = find_families(client, index_name).families
    assert sorted(family.members)[:2] == ["bare", "copy"]
    assert sweep(client, index_name).families is not None
