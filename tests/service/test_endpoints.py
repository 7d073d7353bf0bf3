"""What each address answers: the same relations as in Python, and no field that is not allowed."""

import json
import sys
from typing import Any
from urllib.parse import quote

import pytest

from es_simhash.relation.thresholds import SCORING
from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from tests.support.service import FIRST, ODD_IDS, Serve

pytestmark = pytest.mark.cluster


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_related_answers_the_relations_of_python(serve: Serve, client: Any, tenants: str) -> None:
    from es_simhash import Index, SearchOptions

    options = SearchOptions(size=3, fields=("title", "date"), context=True)
    expected = Index(client, tenants).related(id="a1", options=options)
    found = serve(tenants).get("/v1/related/a1", params={"size": 3}).json()
    assert found["relations"] == as_json([relation.to_dict() for relation in expected])
    assert {each["id"] for each in found["relations"]} < {"a2", "b1", "b2", "b3"}
    extent = expected.extent
    assert (found["total"], found["is_estimate"]) == (extent.total, extent.is_estimate)
    assert (found["next"], found["truncated"]) == ("?size=3&from=3", False)
    assert found["document"]["title"] == "Title of a1"
    assert found["relations"][0]["evidence"]


def test_pages_have_every_relation_once(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    address, ids, links = "/v1/related/a1?size=3&collapse=false", [], 0
    while address:
        answer = http.get(address)
        page = answer.json()
        ids += [each["id"] for each in page["relations"]]
        assert answer.links.get("next", {}).get("url") == page["next"]
        address = page["next"] and str(answer.url.join(page["next"]))
        links += 1
    assert links == 2
    assert sorted(ids) == ["a2", "b1", "b2", "b3"]


def test_related_can_be_sorted_and_narrowed_to_kinds(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    newest = http.get("/v1/related/a1?sort=-date&kind=version&kind=exact").json()["relations"]
    assert [each["id"] for each in newest] == ["b3", "b2", "b1", "a2"]
    assert {each["direction"] for each in newest} == {"newer"}
    assert http.get("/v1/related/a1?kind=exact").json()["relations"] == []


def test_a_text_has_relations(serve: Serve, tenants: str) -> None:
    found = serve(tenants).post("/v1/related?size=20", json={"text": FIRST}).json()
    assert found["document"] is None
    assert {each["id"] for each in found["relations"]} == {"a1", "a2", "b1", "b2", "b3"}
    exact = next(each for each in found["relations"] if each["id"] == "a1")
    assert (exact["kind"], exact["source"]["title"]) == ("exact", "Title of a1")


def test_compare_answers_relation_and_changes(serve: Serve, client: Any, tenants: str) -> None:
    from es_simhash import Index

    index = Index(client, tenants)
    found = serve(tenants).get("/v1/compare/a1/b1").json()
    assert found["changes"] == as_json(index.changes("a1", "b1").to_dict())
    assert found["relation"]["document"] == found["b"]
    expected = as_json(index.explain("a1", "b1").to_dict())
    assert {**found["relation"], "document": None} == {**expected, "document": None}
    assert (found["a"]["title"], found["b"]["date"]) == ("Title of a1", "2022-01-01")


def test_families_answers_members_by_id_and_by_name(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    family = http.get("/v1/families/b1").json()
    assert [each["id"] for each in family["members"]] == ["a1", "a2", "b1", "b2", "b3"]
    assert family["documents"] == 5
    assert http.get(f"/v1/families/{family['name']}").json()["members"] == family["members"]


@pytest.mark.variants
@pytest.mark.parametrize("id", ODD_IDS)
def test_any_id_is_found(serve: Serve, tenants: str, id: str) -> None:
    http, escaped = serve(tenants), quote(id, safe="")
    assert http.get(f"/v1/documents/{escaped}").json()["id"] == id
    assert http.get(f"/v1/related/{escaped}").status_code == 200
    compared = http.get(f"/v1/compare/{escaped}/a1").json()
    assert (compared["relation"]["id"], compared["a"]["title"]) == ("a1", "<b>odd</b>")


def test_a_slash_of_a_single_id_need_not_be_escaped(serve: Serve, tenants: str) -> None:
    assert serve(tenants).get("/v1/documents/a/b%20c").json()["id"] == "a/b c"


def test_only_allowed_fields_leave(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(fields=("note.inner",)))
    assert http.get("/v1/documents/a1").json() == {
        "id": "a1",
        "document": {
            "title": None, "date": None, "owner": None, "language": None, "link": None,
            "family": http.get("/v1/families/a1").json()["name"],
        },
        "source": {"note": {"inner": "inner of a1"}},
    }  # fmt: skip
    answers = [
        http.get(path).text
        for path in ("/v1/related/a1", "/v1/compare/a1/b1", "/v1/families/a1", "/v1/documents/a1")
    ]
    assert not [text for text in answers if "Title of" in text or "secret" in text]
    assert {each["direction"] for each in json.loads(answers[0])["relations"]} == {None}
    # An order by date would tell what the dates are.
    assert http.get("/v1/related/a1?sort=date").status_code == 400


def test_texts_leave_only_where_they_may(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(evidence=False))
    words = FIRST.split()[3]
    compared = http.get("/v1/compare/a1/b1")
    assert compared.json()["changes"] is None
    assert compared.json()["relation"]["kind"] == "version"
    related = http.get("/v1/related/a1")
    assert len(related.json()["relations"]) == 4
    assert words not in compared.text
    assert words not in related.text


@pytest.mark.variants
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/v1/related/a1?size=51", "size must be a whole number from 1 to 50."),
        ("/v1/related/a1?size=0", "size must be"),
        ("/v1/related/a1?size=1&size=2", "size is given twice."),
        ("/v1/related/a1?from=-1", "from must be"),
        ("/v1/related/a1?from=²", "from must be"),
        ("/v1/related/a1?sort=title", "sort must be one of score, date, -date."),
        ("/v1/related/a1?kind=none", "kind must be one of exact,"),
        ('/v1/related/a1?filter={"match_all":{}}', "Unknown parameter"),
        ("/v1/documents/a1?fields=secret", "takes no parameters"),
        ("/v1/compare/a1/b1?size=1", "takes no parameters"),
    ],
)
def test_a_parameter_that_may_not_be_chosen(
    serve: Serve, tenants: str, path: str, words: str
) -> None:
    answer = serve(tenants).get(path)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.json()["detail"]


@pytest.mark.variants
@pytest.mark.parametrize(
    "path",
    [
        "/v1/related/none", "/v1/documents/none", "/v1/families/none", "/v1/compare/a1/none",
        "/v1/compare/none/a1", "/v1/documents/%FF", "/v1/documents/" + "x" * 513, "/v1/documents/",
        "/v1/families/" + "y" * 512,
    ],
)  # fmt: skip
def test_a_missing_document_is_not_found(serve: Serve, tenants: str, path: str) -> None:
    answer = serve(tenants).get(path)
    assert answer.status_code == 404
    assert answer.json() == {
        "type": "about:blank",
        "title": "Not found",
        "status": 404,
        "detail": "There is no such document.",
    }


def test_other_addresses_and_methods(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    assert http.get("/nothing").status_code == 404
    assert http.get("/v1/compare/a1").status_code == 404
    answer = http.delete("/v1/documents/a1")
    assert answer.status_code == 405
    assert sorted(answer.headers["allow"].split(", ")) == ["GET", "HEAD"]
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_document_without_text_and_one_without_family(
    serve: Serve, client: Any, index: str
) -> None:
    client.index(index=index, id="bare", document={"title": "no text"}, refresh=True)
    http = serve(index)
    assert http.get("/v1/related/bare").status_code == 422
    assert "Elasticsearch" not in http.get("/v1/related/bare").text
    assert http.get("/v1/families/bare").status_code == 404


def test_the_service_is_described_and_observed(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    assert http.get("/healthz").json() == {"status": "ok"}
    assert http.get("/readyz").json() == {"status": "ready"}
    paths = http.get("/v1/openapi.json").json()["paths"]
    assert {
        "/v1/related/{id}",
        "/v1/related",
        "/v1/compare/{a}/{b}",
        "/v1/families/{id}",
    } < paths.keys()
    http.get("/v1/documents/a1")
    metrics = http.get("/metrics").text
    assert 'es_simhash_requests_total{route="/v1/documents/{id}",status="200"}' in metrics


def test_families_are_listed_in_pages(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    address, families = "/v1/families?size=4", []
    while address:
        answer = http.get(address)
        page = answer.json()
        families += page["families"]
        assert answer.links.get("next", {}).get("url") == page["next"]
        address = page["next"] and str(answer.url.join(page["next"]))
    assert sorted(family["documents"] for family in families) == [1] * len(ODD_IDS) + [5]
    largest = max(families, key=lambda family: family["documents"])
    assert (largest["oldest"], largest["newest"]) == ("2020-01-01", "2024-01-01")
    assert http.get(f"/v1/families/{largest['name']}").json()["documents"] == 5
    hidden = serve(tenants, ServiceConfig(fields=("title",))).get("/v1/families").json()
    assert {family["oldest"] for family in hidden["families"]} == {None}


def test_members_of_a_family_come_in_pages(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    whole = http.get("/v1/families/a1").json()
    assert whole["next"] is None
    address, ids = "/v1/families/a1?size=2", []
    while address:
        answer = http.get(address)
        page = answer.json()
        ids += [member["id"] for member in page["members"]]
        assert page["documents"] == 5
        address = page["next"] and str(answer.url.join(page["next"]))
    assert ids == [member["id"] for member in whole["members"]]


def test_pages_of_a_family_end_where_no_address_leads_on(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(limits=ServiceLimits(offset=2)))
    first = http.get("/v1/families/a1?size=2").json()
    assert first["next"] == "?size=2&from=2"
    last = http.get(f"/v1/families/a1{first['next']}").json()
    assert (len(last["members"]), last["documents"], last["next"]) == (2, 5, None)


def test_several_documents_are_asked_about_at_once(serve: Serve, client: Any, index: str) -> None:
    from tests.support.library import fill

    fill(client, index, {"id": "a", "text": FIRST}, {"id": "b", "text": FIRST}, semantics=None)
    client.index(index=index, id="bare", document={"title": "no text"}, refresh=True)
    http = serve(index)
    for ids in (["a", "none", "a", "b"], ["bare", "a", "b"]):
        answer = http.post("/v1/batch/related?size=1", json={"ids": ids})
        shown = {each["id"]: each for each in answer.json()["answers"]}
        assert list(shown) == list(dict.fromkeys(ids))
        for id in ("a", "b"):
            assert shown[id]["related"] == http.get(f"/v1/related/{id}?size=1").json()
            assert shown[id]["problem"] is None
    assert shown["bare"]["problem"] == http.get("/v1/related/bare").json()
    missing = http.post("/v1/batch/related", json={"ids": ["none"]}).json()["answers"]
    assert missing[0]["problem"] == http.get("/v1/related/none").json()
    many = http.post("/v1/batch/related", json={"ids": ["a"] * 21})
    assert (many.status_code, many.json()["detail"]) == (400, '"ids" may have at most 20 ids.')


def test_what_is_wrong_with_one_document_leaves_the_others_their_answers(
    serve: Serve, client: Any, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.support.library import TEXTS, fill

    pytest.importorskip("jieba")
    documents = {"a": FIRST, "b": FIRST, "other-scheme": FIRST, "zh": TEXTS["zh-bank"]}
    shelved = ({"id": id, "text": text} for id, text in documents.items())
    fill(client, index, *shelved)
    client.update(index=index, id="other-scheme", doc={"simhash": {"scheme": "old"}}, refresh=True)
    monkeypatch.setitem(sys.modules, "jieba", None)
    http = serve(index)
    answer = http.post("/v1/batch/related", json={"ids": [*documents, "none"]})
    assert answer.status_code == 200
    shown = {each["id"]: each for each in answer.json()["answers"]}
    for id in ("a", "b"):
        assert shown[id]["related"] == http.get(f"/v1/related/{id}").json()
    alone = {id: http.get(f"/v1/related/{id}") for id in ("other-scheme", "zh", "none")}
    assert [each.status_code for each in alone.values()] == [422, 422, 404]
    assert "a language that this service cannot read" in alone["zh"].text
    assert {id: shown[id]["problem"] for id in alone} == {
        id: each.json() for id, each in alone.items()
    }


def test_a_draft_is_here_already_or_not(serve: Serve, tenants: str) -> None:
    from tests.support.shelf import revised, text

    http = serve(tenants)
    same = http.post("/v1/duplicates", json={"text": FIRST.upper()}).json()
    assert (same["action"], same["lost"]) == ("skip", None)
    relation = same["relation"]
    assert (relation["id"], relation["kind"], relation["score"]) == ("a1", "exact", 1)
    assert relation["document"]["title"] == relation["source"]["title"] == "Title of a1"
    new = http.post("/v1/duplicates", json={"text": text(900)}).json()
    assert new == {"action": "write", "relation": None, "lost": None, "scoring": SCORING}
    changed = http.post("/v1/duplicates", json={"text": revised(FIRST, 9)}).json()
    assert (changed["action"], changed["relation"]["kind"]) == ("retain", "version")
    assert changed["lost"]["share"] > 0
    assert changed["lost"]["stretches"]
    lost = http.post("/v1/duplicates?lose=1", json={"text": revised(FIRST, 9)}).json()
    assert (lost["action"], lost["lost"]) == ("skip", None)
    exact = http.post("/v1/duplicates?kind=exact", json={"text": revised(FIRST, 9)}).json()
    assert exact["action"] == "write"
    shy = serve(tenants, ServiceConfig(evidence=False))
    told = shy.post("/v1/duplicates", json={"text": revised(FIRST, 9)}).json()["lost"]
    assert told == {"share": changed["lost"]["share"], "facts": [], "stretches": []}
    assert http.post("/v1/duplicates", json={"text": "…"}).status_code == 422
    assert http.get("/v1/duplicates").status_code == 405


def test_a_draft_is_a_version_of_what_has_its_values_alone(
    client: Any, serve: Serve, index: str
) -> None:
    from es_simhash.store.installation.document_settings import configure
    from tests.support.library import fill

    client.indices.put_mapping(index=index, properties={"owner": {"type": "keyword"}})
    documents = [{"id": owner, "text": FIRST, "owner": owner} for owner in "xy"]
    fill(client, index, *documents, semantics=None)
    http = serve(index)
    refused = http.post("/v1/duplicates", json={"text": FIRST, "within": "y"})
    assert refused.status_code == 422
    assert refused.json()["detail"] == (
        "The index has no field that keeps documents apart: leave out within."
    )
    configure(client, index, {"within": "owner"})
    http = serve(index)
    drafts: list[dict[str, Any]] = [{}, {"within": None}, {"within": "y"}, {"within": ["y"]}]
    answers = [http.post("/v1/duplicates", json={"text": FIRST, **each}).json() for each in drafts]
    assert [each["relation"]["id"] for each in answers] == ["x", "x", "y", "y"]
    other: Any
    for other in ("z", ["x", "y"], []):
        answer = http.post("/v1/duplicates", json={"text": FIRST, "within": other}).json()
        assert answer["action"] == "write"
    assert http.post("/v1/duplicates", json={"text": FIRST, "within": {}}).status_code == 400
    assert http.post("/v1/related", json={"text": FIRST, "within": "x"}).status_code == 400


def test_relations_are_narrowed_to_families(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    related = http.get("/v1/related/a1?family=same").json()["relations"]
    assert {each["id"] for each in related} == {"a2", "b1", "b2", "b3"}
    assert http.get("/v1/related/a1?family=other").json()["relations"] == []
    newest = http.get("/v1/related/a1?recency=date&recency_weight=1").json()
    assert newest["relations"]
    assert http.get("/v1/related/a1?recency=tenant").status_code == 400
    assert http.post("/v1/related?family=same", json={"text": FIRST}).status_code == 400


def test_a_document_without_a_family_has_none_to_choose_by(
    serve: Serve, client: Any, index: str
) -> None:
    from tests.support.library import fill

    fill(client, index, {"id": "a", "text": FIRST}, semantics=None)
    answer = serve(index).get("/v1/related/a?family=same")
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "The document has no version family yet.",
    )


def test_an_index_without_fingerprints_behind_the_name_is_counted(
    client: Any, serve: Serve, tenants: str, index_name: str, discard: Any
) -> None:
    bare = f"{index_name}-bare"
    discard(bare)
    client.indices.create(index=bare)
    client.indices.put_alias(index=tenants, name=index_name)
    try:
        assert serve(index_name).get("/v1/related/a1").json()["left_out"] == 0
        client.indices.put_alias(index=bare, name=index_name)
        shown = serve(index_name).get("/v1/related/a1").json()
        assert shown["left_out"] == 1
        assert shown["relations"]
        # Its name may be that of another tenant.
        assert bare not in str(shown)
    finally:
        client.indices.delete_alias(index=tenants, name=index_name)
