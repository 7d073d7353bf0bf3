"""What mapping and documents suggest of an index: names, types and values together."""

from typing import Any

import pytest

from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.store.config import DocumentSettings, IndexConfig
from es_simhash.store.installation.document_settings import configure
from es_simhash.store.installation.install import install
from es_simhash.store.installation.proposal import propose_settings, propose_text
from tests.store.installation.test_document_settings import MAPPING, NEWS, TEXT

PROPOSED = DocumentSettings(
    text="headline,body", title="headline", date="published", owner="section", link="{url}"
)


@pytest.fixture
def news(client: Any, index_name: str) -> str:
    """An index of articles, with fields for fingerprints and no settings."""
    client.indices.create(index=index_name, mappings={"properties": MAPPING})
    for number, article in enumerate(NEWS, 1):
        client.index(index=index_name, id=str(number), document=article)
    client.indices.refresh(index=index_name)
    install(client, index_name)
    return index_name


def _index(client: Any, name: str, *documents: dict[str, Any]) -> DocumentSettings:
    """Write documents into a new index, and return what they suggest."""
    client.indices.create(index=name)
    for document in documents:
        client.index(index=name, document=document)
    client.indices.refresh(index=name)
    return propose_settings(client, name)


@pytest.mark.cluster
def test_fields_are_proposed_from_mapping_and_documents(client: Any, news: str) -> None:
    assert propose_settings(client, news) == PROPOSED


@pytest.mark.cluster
def test_without_documents_the_mapping_counts(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name, mappings={"properties": MAPPING})
    assert propose_settings(client, index_name).text == "headline,body"


@pytest.mark.cluster
def test_what_is_proposed_can_be_stored_and_fingerprinted(client: Any, news: str) -> None:
    configure(client, news, PROPOSED.to_meta())
    assert all(outcome.ok for outcome in backfill(client, news))
    client.indices.refresh(index=news)
    assert propose_settings(client, news) == PROPOSED


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("text", "title", "date", "owner", "language"),
    [
        ("inhalt", "überschrift", "veröffentlicht", "ressort", "sprache"),
        ("contenido", "Titular", "fecha", "sección", "idioma"),
        ("正文", "标题", "发布日期", "来源", "语言"),
        ("المحتوى", "العنوان", "تاريخ", "القسم", "اللغة"),
        ("पाठ", "शीर्षक", "दिनांक", "विभाग", "भाषा"),
    ],
)
def test_names_are_known_in_other_languages(
    client: Any, index_name: str, text: str, title: str, date: str, owner: str, language: str
) -> None:
    article = {text: TEXT * 3, title: "Nordkai", date: "2024-05-01", owner: "news", language: "xx"}
    proposed = _index(client, index_name, article)
    assert proposed == DocumentSettings(
        text=f"{title},{text}", title=title, date=date, owner=owner, language=language
    )


@pytest.mark.cluster
def test_a_body_that_was_fingerprinted_without_its_headline_stays_the_text(
    client: Any, news: str
) -> None:
    assert all(
        outcome.ok for outcome in backfill(client, news, config=IndexConfig(text_field="body"))
    )
    client.indices.refresh(index=news)
    assert propose_settings(client, news).text == "body"


@pytest.mark.cluster
def test_a_name_alone_is_no_reason_to_propose_a_field(client: Any, index_name: str) -> None:
    """A `date` that is text, a `title` as long as a text, a `url` that is none."""
    fields = ("date", "title", "url", "notes")
    client.indices.create(
        index=index_name, mappings={"properties": {name: {"type": "text"} for name in fields}}
    )
    document = {"date": "in spring", "title": TEXT * 9, "url": "see below", "notes": "short"}
    client.index(index=index_name, id="1", document=document, refresh=True)
    assert propose_settings(client, index_name) == DocumentSettings(text="title")


@pytest.mark.cluster
def test_a_body_that_begins_with_its_headline_is_the_text_alone(
    client: Any, index_name: str
) -> None:
    document = {"title": "Storm in the north", "text": f"Storm in the north\n\n{TEXT * 3}"}
    proposed = _index(client, index_name, document)
    assert (proposed.text, proposed.title) == ("text", "title")


@pytest.mark.cluster
def test_a_name_in_another_object_is_no_headline_of_the_text(client: Any, index_name: str) -> None:
    documents = [{"text": TEXT * 3, "author": {"name": "K. Lind"}}]
    assert _index(client, index_name, *documents).text == "text"


@pytest.mark.cluster
def test_headline_and_body_of_one_object_are_the_text(client: Any, index_name: str) -> None:
    document = {"article": {"headline": "灯塔日志", "body": TEXT * 3}}
    assert _index(client, index_name, document).text == "article.headline,article.body"


@pytest.mark.cluster
def test_a_headline_that_most_documents_lack_is_not_proposed(client: Any, index_name: str) -> None:
    documents = [{"text": f"{TEXT * 2}{number}"} for number in range(4)]
    proposed = _index(client, index_name, {**documents[0], "title": "Storm"}, *documents[1:])
    assert (proposed.text, proposed.title) == ("text", None)


def test_documents_of_no_index_are_read_by_their_names() -> None:
    titled = {"title": "Sturm", "text": TEXT * 2}
    assert propose_text([titled]) == "title,text"
    assert propose_text([titled, {"text": TEXT * 2}]) == "title,text"
    assert propose_text([{"Headline": "عاصفة", "Body": TEXT * 2}]) == "Headline,Body"
    assert propose_text([{"text": TEXT * 2}]) is None
    assert propose_text([{"title": "Sturm", "text": "kurz"}]) is None
    assert propose_text([{"title": ["Sturm"], "text": TEXT * 2}]) is None
    assert propose_text([]) is None


@pytest.mark.cluster
@pytest.mark.parametrize("text", ["body", "headline,body"])
def test_a_sidecar_keeps_the_text_that_was_fingerprinted_into_it(
    client: Any, news: str, text: str
) -> None:
    sidecar = f"{news}-near"
    try:
        config = IndexConfig(text_field=text)
        assert all(outcome.ok for outcome in backfill(client, news, sidecar=sidecar, config=config))
        client.indices.refresh(index=sidecar)
        assert propose_settings(client, sidecar).text == text
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)
