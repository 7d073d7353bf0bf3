"""The requests of docs/your-search.md do what the page says, on the real engine."""

import json
import re
from pathlib import Path
from typing import Any

import elasticsearch
import pytest

from es_simhash import FamilyOptions
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install

pytestmark = pytest.mark.cluster

PAGE = (Path(__file__).parents[3] / "docs" / "your-search.md").read_text("utf-8")

RATES = (
    "Interest rates rise: the central bank has raised interest rates by a quarter of a point, and "
    "says that prices still rise too fast. Banks in {city} expect that loans for houses and for "
    "small firms become dearer before the summer. {more} Savers hope for better interest on their "
    "deposits, which have lost value for two years. What interest rates of five percent mean for "
    "exporters is not clear yet."
)
VERSIONS = {
    "rates-1": ("2023-01-10", RATES.format(city="Frankfurt", more="")),
    "rates-2": ("2023-01-11", RATES.format(city="Frankfurt", more="Economists are divided.")),
    "rates-3": ("2023-01-12", RATES.format(city="Frankfurt", more="Two members voted against it.")),
}
OTHERS = {
    "loans": (
        "2023-02-01",
        "Who wants a loan for a house pays interest rates of four percent now, twice as much as "
        "last year. Brokers advise families to fix them for ten years, and to save first.",
    ),
    "football": (
        "2023-02-02",
        "Interest in women's football rates higher than ever: the final was watched by a million, "
        "and clubs sell more season tickets than they did for the men's second division.",
    ),
    "museum": (
        "2023-02-03",
        "Interest in the museum grows, and critics give it high rates for its light halls, "
        "for the garden with its old trees, and for guided tours after dark.",
    ),
    "dollar": (
        "2023-02-04",
        "The dollar fell against the euro after the vote on interest rates in Washington, as "
        "traders in London had expected a larger step of half a point.",
    ),
}


def blocks(heading: str) -> list[dict[str, Any]]:
    """Return the bodies of the requests under a heading of the page."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"```json\n(\w+) articles/_search\n(.*?)\n```", section, re.S)
    assert found, heading
    return [json.loads(body) for _, body in found]


def filled(body: dict[str, Any], **values: Any) -> dict[str, Any]:
    """Return a body with its placeholders replaced."""
    text = json.dumps(body)
    for name, value in values.items():
        for quoted in (f'["{name}"]', f'"{name}"'):
            text = text.replace(quoted, json.dumps(value))
    return dict(json.loads(text))


class Articles:
    """The index of the page."""

    def __init__(self, client: Any, name: str) -> None:
        self.client, self.name = client, name

    def write(self, documents: dict[str, tuple[str, str]]) -> None:
        lines = [
            {"id": id, "title": id.split("-")[0].title(), "published": date, "text": text}
            for id, (date, text) in documents.items()
        ]
        # Titles are ids here, which no versions share.
        config = IndexConfig(text_field="text")
        assert all(outcome.ok for outcome in ingest(self.client, self.name, lines, config=config))
        self.client.indices.refresh(index=self.name)

    def find(self) -> Any:
        options = FamilyOptions("newest", "published")
        report = find_families(self.client, self.name, options=options)
        self.client.indices.refresh(index=self.name)
        return report

    def search(self, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.client.perform_request(
            "POST",
            f"/{self.name}/_search",
            body=body,
            headers={"accept": "application/json", "content-type": "application/json"},
        )
        return dict(answer.body)

    def ids(self, body: dict[str, Any]) -> list[str]:
        return [hit["_id"] for hit in self.search(body)["hits"]["hits"]]


@pytest.fixture
def articles(client: Any, index_name: str) -> Articles:
    """Three versions of one article, and four others; with families by the newest."""
    install(client, index_name)
    client.indices.put_mapping(index=index_name, properties={"published": {"type": "date"}})
    index = Articles(client, index_name)
    index.write({**VERSIONS, **OTHERS})
    (family,) = index.find().families
    assert set(family.members) == set(VERSIONS)
    return index


def test_the_object_is_hidden_and_takes_a_third_of_the_answer(articles: Articles) -> None:
    (body,) = blocks("Hide the object")
    hidden = articles.search(body)
    shown = articles.search({"query": body["query"]})
    assert [hit["_id"] for hit in hidden["hits"]["hits"]] == [
        hit["_id"] for hit in shown["hits"]["hits"]
    ]
    assert all("simhash" not in hit["_source"] for hit in hidden["hits"]["hits"])
    assert all("text" in hit["_source"] for hit in hidden["hits"]["hits"])
    assert all("simhash" in hit["_source"] for hit in shown["hits"]["hits"])
    assert len(json.dumps(shown)) > 1.5 * len(json.dumps(hidden))


def test_the_mapping_must_not_leave_the_object_out(client: Any, index_name: str) -> None:
    client.indices.create(index=index_name, mappings={"_source": {"excludes": ["simhash"]}})
    install(client, index_name, semantics=None)
    index = Articles(client, index_name)
    index.write(OTHERS)
    has = {"exists": {"field": "simhash.shingles"}}
    assert client.count(index=index_name, query=has)["count"] == len(OTHERS)
    client.update(index=index_name, id="loans", doc={"seen": True}, refresh=True)
    assert client.count(index=index_name, query=has)["count"] == len(OTHERS) - 1


def test_collapse_without_the_hit_among_its_others(articles: Articles) -> None:
    (body,) = blocks("One hit per family")
    answer = articles.search(body)
    code = PAGE.split("\n## One hit per family\n")[1].split("```python\n")[1].split("```")[0]
    exec(code, {"answer": answer})
    hits = answer["hits"]["hits"]
    assert {hit["_id"] for hit in hits} & set(VERSIONS) == {
        hit["_id"] for hit in hits if hit["others"]
    }
    (head,) = (hit for hit in hits if hit["others"])
    others = [other["_id"] for other in head["others"]]
    assert head["_id"] in VERSIONS
    assert others == sorted(set(VERSIONS) - {head["_id"]}, reverse=True)
    assert head["inner_hits"]["others"]["hits"]["total"]["value"] == len(VERSIONS)


def current(articles: Articles) -> set[str]:
    (body,) = blocks("Current versions only")
    return set(articles.ids(body))


@pytest.mark.long
def test_current_versions_only(articles: Articles, tmp_path: Path) -> None:
    assert current(articles) == {"rates-3", *OTHERS}
    # A new document is found before it has a family, and so is the one it replaces.
    newer = RATES.format(city="Frankfurt", more="The next meeting is in March.")
    articles.write({"rates-4": ("2023-01-13", newer)})
    assert current(articles) == {"rates-3", "rates-4", *OTHERS}
    articles.find()
    assert current(articles) == {"rates-4", *OTHERS}
    # One whose text was changed is found as one without a family.
    edited = RATES.format(city="Frankfurt", more="It was the third step.")
    articles.write({"rates-1": ("2023-01-10", edited)})
    assert current(articles) == {"rates-1", "rates-4", *OTHERS}
    articles.find()
    assert current(articles) == {"rates-4", *OTHERS}
    # Of a family without its representative nothing is found until the next run.
    articles.client.delete(index=articles.name, id="rates-4", refresh=True)
    assert current(articles) == set(OTHERS)
    articles.find()
    assert current(articles) == {"rates-3", *OTHERS}


@pytest.mark.long
def test_what_link_and_undo_leave_is_found(articles: Articles, tmp_path: Path) -> None:
    from es_simhash import OnVersion
    from es_simhash.ingestion.undo import undo

    rules = OnVersion("link", audit=tmp_path / "audit.jsonl")
    newer = {"id": "rates-4", "published": "2023-01-13", "text": VERSIONS["rates-3"][1] + " Yes."}
    list(ingest(articles.client, articles.name, [newer], on_version=rules))
    articles.client.indices.refresh(index=articles.name)
    assert current(articles) == {"rates-3", "rates-4", *OTHERS}
    articles.find()
    assert current(articles) == {"rates-4", *OTHERS}
    older = {**newer, "id": "rates-0", "published": "2023-01-01", "text": newer["text"] + " No."}
    list(ingest(articles.client, articles.name, [older], on_version=rules))
    articles.find()
    assert "rates-0" not in current(articles)
    undo(articles.client, articles.name, tmp_path / "audit.jsonl", run="all")
    assert "rates-0" in current(articles)


def test_a_sweep_keeps_the_mark_right(articles: Articles) -> None:
    from es_simhash.maintenance.sweeps.sweep import sweep

    text = RATES.format(city="Frankfurt", more="Sweeps see this one.")
    document = {"title": "New", "published": "2024-01-01", "text": text}
    articles.client.index(index=articles.name, id="rates-9", document=document, refresh=True)
    assert current(articles) == {"rates-3", "rates-9", *OTHERS}
    sweep(articles.client, articles.name)
    articles.client.indices.refresh(index=articles.name)
    assert current(articles) == {"rates-9", *OTHERS}


def test_large_families_are_boosted(articles: Articles) -> None:
    large, boosted, sizes = blocks("Boost by the size of the family")
    buckets = articles.search(large)["aggregations"]["families"]["buckets"]
    assert [bucket["doc_count"] for bucket in buckets] == [3]
    names = [bucket["key"] for bucket in buckets]
    plain = {"query": boosted["query"]["bool"]["must"], "_source": False}
    before = {hit["_id"]: hit["_score"] for hit in articles.search(plain)["hits"]["hits"]}
    answer = articles.search(filled(boosted, FAMILIES=names))
    after = {hit["_id"]: hit["_score"] for hit in answer["hits"]["hits"]}
    assert after == {
        id: pytest.approx(score + (2 if id in VERSIONS else 0)) for id, score in before.items()
    }
    counted = articles.search(filled(sizes, FAMILIES=names))["aggregations"]["sizes"]["buckets"]
    assert {bucket["key"]: bucket["doc_count"] for bucket in counted} == {names[0]: 3}


def test_facets_of_families(articles: Articles) -> None:
    facets, followed = blocks("More from this family")
    (bucket,) = articles.search(facets)["aggregations"]["families"]["buckets"]
    assert bucket["doc_count"] == 3
    (hit,) = bucket["current"]["hits"]["hits"]
    assert hit["_source"] == {"title": "Rates"}
    assert bucket["latest"]["value_as_string"].startswith("2023-01-12")
    assert articles.ids(filled(followed, FAMILY=bucket["key"])) == ["rates-3", "rates-2", "rates-1"]


def test_versions_a_day(articles: Articles) -> None:
    (body,) = blocks("Versions a day")
    days = articles.search(body)["aggregations"]["days"]["buckets"]
    counts = [(day["key_as_string"][:10], day["doc_count"], day["families"]) for day in days]
    assert counts == [("2023-01-10", 1, {"value": 1}), ("2023-01-11", 1, {"value": 1})]


def test_documents_of_the_dsl(articles: Articles) -> None:
    dsl = pytest.importorskip("elasticsearch.dsl", reason="client 8.18 and newer have it")
    code = PAGE.split("\n## With elasticsearch.dsl\n")[1].split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(code.replace('"articles"', f'"{articles.name}"'), names)
    dsl.connections.add_connection("default", articles.client)
    try:
        hits = names["Article"].current().query("match", text="interest rates").execute()
        assert {hit.meta.id for hit in hits} == {"rates-3", *OTHERS}
        assert all("simhash" not in hit for hit in hits)
        article = names["Article"].get("rates-1")
        assert [each.id for each in article.related(kinds=("version",), size=1)] == ["rates-2"]
        has = {"exists": {"field": "simhash.shingles"}}
        article.update(published="2023-01-09", refresh=True)
        assert articles.client.count(index=articles.name, query=has)["count"] == 7
        names["Article"](meta={"id": "loans"}, text="Nobody lends.").save(refresh=True)
        assert articles.client.count(index=articles.name, query=has)["count"] == 6
    finally:
        dsl.connections.remove_connection("default")


def test_diversify_and_collapse_on_one_question(articles: Articles) -> None:
    diversified, collapsed, both = blocks("Beside the diversify retriever")
    window = articles.ids({"query": collapsed["query"], "size": 20, "_source": False})
    by_family = articles.ids(collapsed)
    assert by_family[0] in VERSIONS
    assert len(by_family) == 4
    assert len(set(by_family) & set(VERSIONS)) == 1
    try:
        spread = articles.ids(diversified)
    except elasticsearch.BadRequestError as error:
        if "diversify" in str(error):
            pytest.skip(f"this server has no diversify retriever (9.3 and newer have one): {error}")
        raise
    assert len(spread) == 4
    # It thins out what the inner retriever found, and keeps its order.
    assert spread == sorted(spread, key=window.index)
    assert spread[0] == window[0]
    assert len(set(spread) & set(VERSIONS)) == 1
    # For relevance alone it leaves all versions in.
    diversified["retriever"]["diversify"]["lambda"] = 1
    assert set(VERSIONS) < set(articles.ids(diversified))
    together = articles.ids(both)
    assert set(together) & set(VERSIONS) <= {"rates-3"}
    assert len(together) == 4
