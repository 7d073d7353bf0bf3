"""What a caller may not read has no effect on what it reads: answers are compared byte by byte."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest

from es_simhash.service.service_config import ServiceLimits
from tests.support.library import TEXTS, fill
from tests.support.service import KEYS, Serve, bearer, tenant_config
from tests.support.shelf import revised, text

pytestmark = pytest.mark.cluster

A = bearer(KEYS["a"])
FIRST = text(1)
UNLIMITED = ServiceLimits(requests_per_minute=0)
STORIES = ("harbour", "harbour-revised", "harbour-union", "harbour-history", "zh-bank", "zh-bank-2")
_OWN = ("x-request-id", "date")


def own_documents() -> list[dict[str, Any]]:
    """Documents of tenant a: versions, a copy, neighbours, strangers."""
    versions = [FIRST, revised(FIRST, 1), revised(FIRST, 2), FIRST]
    documents = [
        {"id": f"a{number}", "text": each, "date": f"2020-01-0{number + 1}"}
        for number, each in enumerate(versions)
    ]
    documents += [{"id": f"a-{id}", "text": TEXTS[id]} for id in STORIES]
    return [{**each, "title": f"Title of {each['id']}", "tenant": "a"} for each in documents]


def foreign_documents() -> list[dict[str, Any]]:
    """Documents of tenant b: copies and versions of all of a's, longer, newer and older ones."""
    documents = []
    for each in own_documents():
        words = each["text"].split()
        texts = [each["text"], f"{each['text']} {text(7, 40)}", " ".join(words[len(words) // 3 :])]
        documents += [
            {"id": f"b-{number}-{each['id']}", "text": given, "date": f"20{10 + 15 * number}-01-01"}
            for number, given in enumerate(texts)
        ]
    documents += [{"id": f"0-{id}", "text": TEXTS[id]} for id in STORIES]
    return [{**each, "title": "B", "tenant": "b"} for each in documents]


def told(http: Any) -> dict[str, tuple[int, bytes, Mapping[str, str]]]:
    """Return all that tenant a is answered."""
    ids = [each["id"] for each in own_documents()]
    paths = ["/v1/families", "/v1/families?size=3", "/v1/related/b-0-a0", "/v1/families/b-0-a0"]
    for id in ids:
        escaped = quote(id, safe="")
        paths += [f"/v1/{name}/{escaped}" for name in ("documents", "families", "related")]
    for id in ("a1", "a3", "a-harbour"):
        paths += [f"/v1/compare/a0/{id}", f"/v1/evidence/{id}/a1"]
    paths += [
        f"/v1/related/{id}?{query}"
        for id in ("a0", "a-harbour")
        for query in (
            "size=2&from=1", "sort=-date", "family=same", "family=other", "recency=date",
            "kind=version&kind=exact", "distinctive=true", "evidence=false", "min_score=0&size=50",
        )
    ]  # fmt: skip
    names = [http.get(f"/v1/families/{id}", headers=A).json()["name"] for id in ids]
    paths += [f"/v1/families/{name}" for name in dict.fromkeys(names)]
    answers = {path: http.get(path, headers=A) for path in paths}
    bodies = [
        ("/v1/related", {"text": FIRST}), ("/v1/related?min_score=0", {"text": TEXTS["harbour"]}),
        ("/v1/duplicates", {"text": FIRST}), ("/v1/duplicates", {"text": revised(FIRST, 3)}),
        ("/v1/duplicates?lose=1", {"text": revised(FIRST, 3)}),
        ("/v1/duplicates", {"text": f"{FIRST} {text(7, 40)}"}),
        ("/v1/batch/related", {"ids": [*ids[:10], "b-0-a0"]}),
    ]  # fmt: skip
    for path, body in bodies:
        answers[f"{path} {body}"] = http.post(path, headers=A, json=body)
    return {
        path: (
            answer.status_code,
            answer.content,
            {name: value for name, value in answer.headers.items() if name not in _OWN},
        )
        for path, answer in answers.items()
    }


def shown(http: Any) -> dict[str, str]:
    """Return the explorer's pages about families and documents, without the time."""
    paths = ["families/?from=1", "families/", "documents/a0", "documents/a-harbour", "ungrouped"]
    name = http.get("/v1/families/a0", headers=A).json()["name"]
    paths += [f"families/{name}", "compare/a0/a1"]
    answers = {path: http.get(f"/explorer/{path}", auth=("any", KEYS["a"])) for path in paths}
    assert {answer.status_code for answer in answers.values()} == {200}
    return {path: re.sub(r"\d\d:\d\d \w+", "", each.text) for path, each in answers.items()}


def plant(client: Any, index: str) -> None:
    """Put documents of tenant b into all families of tenant a, where they represent them."""
    updates: list[dict[str, Any]] = []
    hits = client.search(index=index, size=1_000)["hits"]["hits"]
    families = {hit["_id"]: hit["_source"]["simhash"].get("family") for hit in hits}
    for id in families:
        if id.startswith("a"):
            updates += [{"update": {"_id": id}}, {"doc": {"simhash": {"representative": False}}}]
        elif id.startswith("b-1-"):
            own = families[id.removeprefix("b-1-")]
            shown = {"family": own, "representative": True}
            updates += [{"update": {"_id": id}}, {"doc": {"simhash": shown}}]
        elif id.startswith("b-"):
            own = families[id.split("-", 2)[2]]
            updates += [{"update": {"_id": id}}, {"doc": {"simhash": {"family": own}}}]
    answer = client.bulk(index=index, operations=updates, refresh=True)
    assert not answer["errors"]


def make_index(client: Any, name: str, rule: str | None = None) -> None:
    """Make an index with the documents of tenant a, in families."""
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.store.installation.document_settings import configure

    fields = {"tenant": {"type": "keyword"}, "date": {"type": "date"}}
    client.indices.create(index=name, mappings={"properties": fields})
    settings = {"title": "title", "date": "date", "within": "tenant"}
    if rule is not None:
        settings["representative"] = rule
    fill(client, name, *own_documents())
    configure(client, name, settings)
    find_families(client, name)
    client.indices.refresh(index=name)


@pytest.mark.long
def test_no_byte_of_an_answer_differs_for_what_may_not_be_read(
    serve: Serve, client: Any, index_name: str
) -> None:
    from es_simhash.maintenance.families.find_families import find_families

    make_index(client, index_name)
    config = tenant_config(cache_seconds=0, explorer=True, limits=UNLIMITED)
    http = serve(index_name, config)
    before, pages = told(http), shown(http)
    assert {status for status, *_ in before.values()} == {200, 404}
    fill(client, index_name, *foreign_documents())
    # In families of their own, as the field keeps them apart.
    find_families(client, index_name)
    client.indices.refresh(index=index_name)
    apart = told(http)
    assert {path for path in before if before[path] != apart[path]} == set()
    # In the same families, as without such a field.
    plant(client, index_name)
    among = told(http)
    assert {path for path in before if before[path] != among[path]} == set()
    # One that has kept no list of families.
    assert shown(serve(index_name, config)) == pages
    seen = serve(index_name).get("/v1/families/a0").json()
    assert seen["representative"].startswith("b-")
    assert seen["documents"] > 4
    client.indices.delete(index=f"{index_name}-simhash", ignore_unavailable=True)


def test_an_id_of_two_indices_has_the_same_answer_alone_and_among_others(
    serve: Serve, client: Any, index_name: str, discard: Any
) -> None:
    fields = {"tenant": {"type": "keyword"}}
    for tenant in ("a", "b"):
        name = f"{index_name}-{tenant}"
        discard(name)
        client.indices.create(index=name, mappings={"properties": fields})
        both = ({"id": id, "text": FIRST, "tenant": tenant} for id in ("1", f"{tenant}2"))
        fill(client, name, *both, semantics=None)
        client.indices.put_alias(index=name, name=index_name)
    http = serve(index_name, tenant_config())
    answer = http.post("/v1/batch/related", headers=A, json={"ids": ["1", "a2"]})
    assert answer.status_code == 200
    twice, own = answer.json()["answers"]
    alone = http.get("/v1/related/1", headers=A)
    assert (alone.status_code, twice["problem"]) == (404, alone.json())
    assert own["related"] == http.get("/v1/related/a2", headers=A).json()


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("rule", [None, "longest", "newest", "oldest"])
def test_who_represents_a_family_is_the_same_by_its_rule(
    client: Any, index_name: str, rule: str | None
) -> None:
    from es_simhash import Index

    make_index(client, index_name, rule)
    index = Index(client, index_name)
    for each in own_documents():
        stored = index.family(each["id"])
        filtered = index.family(each["id"], filters=[{"match_all": {}}])
        assert filtered == stored
        by_name = index.family(stored.name, filters=[{"match_all": {}}])
        assert by_name.representative == stored.representative
    client.indices.delete(index=f"{index_name}-simhash", ignore_unavailable=True)
