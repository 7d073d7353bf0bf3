"""Schemes of methods in mappings of every kind, and texts that change under them."""

from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import InputError, MappingConflict, MissingExtra, SchemeError
from es_simhash.ingestion.enrichment import fingerprint_documents
from es_simhash.ingestion.ingest import ingest
from es_simhash.lab.methods import method_scheme as schemes
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.maintenance.sweeps.sweep import SweepSettings, sweep
from es_simhash.questions.index import Index
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.component_templates import MAPPINGS
from es_simhash.store.installation.install import install, install_component_template
from tests.support.five_languages import texts

pytestmark = pytest.mark.cluster

TEXTS = texts()
NAMES = ["token-simhash", "simhash-bigrams-64"]
ONE = BackfillSettings(processes=1)


def statuses(outcomes: Any) -> list[str]:
    return [outcome.status for outcome in outcomes]


def related(client: Any, index: str, id: str, method: str = NAMES[0]) -> list[str]:
    client.indices.refresh(index=index)
    return [one.id for one in Index(client, index).related_by(method, id=id).relations]


@pytest.mark.variants
@pytest.mark.parametrize("mappings", [{"subobjects": False}, {"dynamic": "strict"}, {}])
def test_documents_of_any_mapping_get_them(
    client: Any, index_name: str, write: Any, mappings: dict[str, Any]
) -> None:
    client.indices.create(
        index=index_name, mappings={**mappings, "properties": {"text": {"type": "text"}}}
    )
    install(client, index_name, scheme=NAMES, semantics=None)
    documents = [{"_id": id, "text": TEXTS[id]} for id in ("en", "en-copy")]
    assert statuses(ingest(client, index_name, documents)) == ["written"] * 2
    write(index_name, {"en-edited": {"text": TEXTS["en-edited"]}})
    assert statuses(backfill(client, index_name, settings=ONE)) == ["written"]
    assert statuses(backfill(client, index_name, settings=ONE)) == []
    assert statuses(ingest(client, index_name, documents)) == ["unchanged"] * 2
    for method in NAMES:
        assert set(related(client, index_name, "en", method)) >= {"en-copy"}
    assert set(related(client, index_name, "en", NAMES[1])) == {"en-copy", "en-edited"}


def test_a_changed_text_leaves_nothing_of_the_old_one(
    client: Any, index_name: str, matching: Any
) -> None:
    install(client, index_name, scheme=NAMES, semantics=None)
    documents = [{"_id": id, "text": TEXTS[id]} for id in ("en", "en-copy")]
    list(ingest(client, index_name, documents))
    check = Selection(check=True)
    for text, expected in ((TEXTS["de"], []), ("?!", []), (TEXTS["en"], ["en"])):
        client.update(index=index_name, id="en-copy", doc={"text": text}, refresh=True)
        assert sorted(statuses(backfill(client, index_name, selection=check, settings=ONE))) == [
            "unchanged", "written",
        ]  # fmt: skip
        assert related(client, index_name, "en-copy") == expected
        has_words = text != "?!"
        path = "simhash.schemes.token-simhash"
        with_status = matching(index_name, {"exists": {"field": f"{path}.status"}})
        assert with_status == (set() if has_words else {"en-copy"})
        with_blocks = matching(index_name, {"exists": {"field": f"{path}.blocks"}})
        assert with_blocks == ({"en", "en-copy"} if has_words else {"en"})


@pytest.mark.long
def test_a_sweep_writes_them_to_what_others_wrote(client: Any, index_name: str, write: Any) -> None:
    install(client, index_name, semantics=None)
    write(index_name, {id: {"text": TEXTS[id]} for id in ("hi", "hi-copy")})
    settings = SweepSettings(processes=1)
    assert sweep(client, index_name, settings=settings).enriched["written"] == 2
    install(client, index_name, scheme=NAMES, semantics=None)
    assert sweep(client, index_name, settings=settings).enriched["written"] == 2
    assert related(client, index_name, "hi") == ["hi-copy"]
    assert not sweep(client, index_name, settings=settings).enriched["written"]


def test_programs_write_them_with_their_own_documents(client: Any, index_name: str) -> None:
    added = (AddedScheme("token-simhash", "token-simhash64.v1"),)
    install(client, index_name, scheme=["token-simhash"], semantics=None)
    documents = [{"text": TEXTS[id]} for id in ("ar", "ar-copy", "empty")]
    for number, document in enumerate(
        fingerprint_documents(documents, config=IndexConfig(schemes=added))
    ):
        client.index(index=index_name, id=str(number), document=document)
    assert related(client, index_name, "0") == ["1"]
    assert Index(client, index_name).config.schemes == added


def test_documents_that_are_flagged_have_them(
    client: Any, index_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    install(client, index_name, scheme=NAMES, semantics=None)
    documents = [{"_id": id, "text": TEXTS[id]} for id in ("de", "de-copy")]
    assert statuses(ingest(client, index_name, documents, on_version="flag")) == ["written"] * 2
    client.indices.refresh(index=index_name)
    source = client.get(index=index_name, id="de-copy").body["_source"]["simhash"]
    assert source["duplicate_of"] == "de"
    assert related(client, index_name, "de") == ["de-copy"]
    assert statuses(backfill(client, index_name, settings=ONE)) == []


def test_what_others_wrote_there_is_not_compared_and_is_written_again(
    client: Any, index_name: str
) -> None:
    install(client, index_name, scheme=NAMES, semantics=None)
    documents = [{"_id": id, "text": TEXTS[id]} for id in ("hi", "hi-copy")]
    list(ingest(client, index_name, documents))
    older = {"simhash": {"schemes": {NAMES[0]: {"scheme": "token-simhash64.v0"}}}}
    client.update(index=index_name, id="hi-copy", doc=older, refresh=True)
    assert related(client, index_name, "hi") == []
    (tokens,) = (
        one for one in count_documents(client, index_name).methods if one.method == NAMES[0]
    )
    assert (tokens.current, tokens.others) == (1, {"token-simhash64.v0": 1})
    assert statuses(backfill(client, index_name, settings=ONE)) == ["written"]
    assert related(client, index_name, "hi") == ["hi-copy"]
    spoilt = {"simhash": {"schemes": [{NAMES[0]: {"scheme": "token-simhash64.v1",
        "blocks": client.get(index=index_name, id="hi").body["_source"]["simhash"]["schemes"]
        [NAMES[0]]["blocks"], "fingerprint": "AAAA"}}]}}  # fmt: skip
    client.update(index=index_name, id="hi-copy", doc=spoilt, refresh=True)
    with pytest.raises(InputError, match="Document 'hi-copy' has blocks of scheme 'token-simhash"):
        related(client, index_name, "hi")


def test_a_component_template_has_them(client: Any) -> None:
    (request,) = install_component_template(client, scheme=NAMES, dry_run=True)
    assert request.path.endswith(MAPPINGS)
    mappings = request.body["template"]["mappings"]
    members = mappings["properties"]["simhash"]["properties"]["schemes"]["properties"]
    assert set(members) == set(NAMES)


def test_indices_of_one_name_that_differ_are_one_sentence(client: Any, index_name: str) -> None:
    names = [f"{index_name}-{number}" for number in (1, 2)]
    try:
        install(client, names[0], scheme=NAMES, semantics=None)
        install(client, names[1], semantics=None)
        with pytest.raises(MappingConflict, match=f"install {names[1]} --scheme"):
            list(backfill(client, f"{index_name}-*", settings=ONE))
        install(client, names[1], scheme=NAMES, semantics=None)
        assert statuses(backfill(client, f"{index_name}-*", settings=ONE)) == []
        _rename(client, names[1], "token-simhash64.v9")
        with pytest.raises(MappingConflict, match="different schemes of one method"):
            list(backfill(client, f"{index_name}-*", settings=ONE))
        for run in (ingest(client, names[1], []), backfill(client, names[1], settings=ONE)):
            with pytest.raises(SchemeError, match=r"'token-simhash64\.v9' of method"):
                list(run)
        with pytest.raises(MappingConflict, match=r"'token-simhash64\.v9'"):
            install(client, names[1], scheme=NAMES, semantics=None)
    finally:
        client.indices.delete(index=names, ignore_unavailable=True)


def _rename(client: Any, index: str, scheme: str) -> None:
    """Write into the mapping what a later version of this package would."""
    mapping = Gateway.of(client).mappings(index)[index]
    meta = mapping["_meta"]
    meta["es_simhash"]["simhash"]["schemes"]["token-simhash"] = scheme
    client.indices.put_mapping(index=index, meta=meta)


def test_a_package_that_is_missing_is_named_before_anything_is_written(
    client: Any, index_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(client, index_name, scheme=["concept-simhash-par"], semantics=None)
    monkeypatch.setattr(schemes, "find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=r"'concept-simhash64-par2-tfidf\.v1' needs jieba"):
        install(client, f"{index_name}-2", scheme=["concept-simhash-par"])
    assert not client.indices.exists(index=f"{index_name}-2")
    for run in (
        ingest(client, index_name, [{"_id": "en", "text": TEXTS["en"]}]),
        backfill(client, index_name, settings=ONE),
    ):
        with pytest.raises(
            MissingExtra, match=r"needs jieba, which is not installed: .*pip install .*\[chinese\]"
        ):
            list(run)
    client.indices.refresh(index=index_name)
    assert client.count(index=index_name)["count"] == 0
