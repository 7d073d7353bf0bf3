"""Evidence is asked for by itself, so that the first answer is small, under the same rules."""

import gzip
from typing import Any

import pytest

from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from tests.support.made_up_texts import make_prose
from tests.support.service import Serve, bearer, tenant_config
from tests.support.shelf import Shelf

pytestmark = pytest.mark.cluster
# Of a document with a hundred relations, compressed.
MOST_BYTES = 5_000


def test_without_evidence_the_relations_are_the_same(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    whole = http.get("/v1/related/a1").json()
    brief = http.get("/v1/related/a1?evidence=false").json()
    assert whole["relations"][0]["evidence"]
    for relation in whole["relations"]:
        relation |= {
            "evidence": [], "semantics": None, "common": None, "reuse": None, "fields": [],
            "log_odds": None,
        }  # fmt: skip
    assert brief == whole


def test_the_evidence_of_one_relation_is_what_all_had(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    for relation in http.get("/v1/related/a1").json()["relations"]:
        answer = http.get(f"/v1/evidence/a1/{relation['id']}")
        explained = answer.json()["relation"]
        for name in ("id", "kind", "coverage", "evidence", "source", "document"):
            assert explained[name] == relation[name], name
    tag = answer.headers["etag"]
    assert http.get(answer.url, headers={"If-None-Match": tag}).status_code == 304


def test_evidence_stays_where_it_may_not_leave(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(evidence=False))
    assert http.get("/v1/evidence/a1/a2").json()["relation"]["evidence"] == []


def test_evidence_of_a_document_of_others_is_not_there(serve: Serve, tenants: str) -> None:
    http = serve(tenants, tenant_config())
    own, other, missing = (
        http.get(f"/v1/evidence/a1/{id}", headers=bearer("the-key-of-tenant-a"))
        for id in ("a2", "b1", "none")
    )
    assert (own.status_code, other.status_code) == (200, 404)
    assert other.content == missing.content


def test_evidence_of_texts_that_are_too_long_is_rejected(serve: Serve, tenants: str) -> None:
    limits = ServiceLimits(compared_bytes=10)
    answer = serve(tenants, ServiceConfig(limits=limits)).get("/v1/evidence/a1/a2")
    assert answer.status_code == 413


@pytest.mark.long
def test_the_first_answer_of_a_document_with_a_hundred_relations_is_small(
    serve: Serve, shelf: Shelf
) -> None:
    body = make_prose(1, 40)

    def document(number: int) -> dict[str, Any]:
        # As long as headlines of news are.
        title = " ".join(make_prose(900 + number, 1))[:42]
        return {
            "id": f"{number}",
            "title": title,
            "text": " ".join([*body, *make_prose(number, 2)]),
        }

    shelf.write([document(number) for number in range(101)])
    limits = ServiceLimits(size=100)
    http = serve(shelf.name, ServiceConfig(fields=("title",), limits=limits))
    path = "/v1/related/0?evidence=false&size=100"
    with http.stream("GET", path) as answer:
        raw = b"".join(answer.iter_raw())
    assert gzip.decompress(raw).count(b'"kind"') == 100
    assert len(raw) <= MOST_BYTES
