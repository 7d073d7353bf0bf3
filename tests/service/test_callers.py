"""One tenant's documents do not show for another: by id, text, comparison, family, count, time."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from es_simhash.service.callers import network_of
from es_simhash.service.service_config import ServiceConfig, TokenRules
from tests.support.proxy import Proxy
from tests.support.service import FIRST, KEYS, Serve, bearer, tenant_config

pytestmark = pytest.mark.cluster

A = bearer(KEYS["a"])
SECRET = "a secret of more than thirty-two bytes"


def comparable(answer: Any) -> tuple[int, str, dict[str, str]]:
    """An answer without what is different in each."""
    own = ("x-request-id", "date")
    headers = {name: value for name, value in answer.headers.items() if name not in own}
    return answer.status_code, answer.text, headers


@pytest.mark.variants
@pytest.mark.parametrize(
    ("foreign", "missing"),
    [
        ("/v1/related/b1", "/v1/related/zz"),
        ("/v1/documents/b1", "/v1/documents/zz"),
        ("/v1/families/b1", "/v1/families/zz"),
        ("/v1/compare/a1/b1", "/v1/compare/a1/zz"),
        ("/v1/compare/b1/a1", "/v1/compare/zz/a1"),
        ("/v1/compare/b1/b2", "/v1/compare/zz/zy"),
    ],
)
def test_a_foreign_document_is_like_a_missing_one(
    serve: Serve, tenants: str, proxy: Proxy, foreign: str, missing: str
) -> None:
    sent: list[tuple[str, int]] = []
    http = serve(tenants, tenant_config(), url=proxy.url)
    http.get("/v1/families/zx", headers=A)  # Reads the mapping, once.
    proxy.hook = lambda path, body: sent.append((path, len(body)))
    answers = []
    for path in (foreign, missing):
        sent.clear()
        answers.append((comparable(http.get(path, headers=A)), list(sent)))
    # Also the same requests to the engine, of the same length: it takes as long.
    assert answers[0] == answers[1]
    assert answers[0][0][0] == 404
    assert http.get(foreign.replace("a1", "b3"), headers=bearer(KEYS["b"])).status_code == 200


def test_what_is_related_is_of_the_own_tenant(serve: Serve, tenants: str) -> None:
    http = serve(tenants, tenant_config())
    found = http.get("/v1/related/a1", headers=A).json()
    assert ([each["id"] for each in found["relations"]], found["total"]) == (["a2"], 1)
    of_text = http.post("/v1/related", headers=A, json={"text": FIRST}).json()
    assert {each["id"] for each in of_text["relations"]} == {"a1", "a2"}
    assert of_text["total"] == 2


def test_the_filter_comes_before_the_cut(serve: Serve, tenants: str) -> None:
    found = serve(tenants, tenant_config()).get("/v1/related/a1?size=1", headers=A).json()
    assert ([each["id"] for each in found["relations"]], found["next"]) == (["a2"], None)


def test_a_family_has_members_and_counts_of_the_own_tenant(serve: Serve, tenants: str) -> None:
    http = serve(tenants, tenant_config())
    for name in ("a1", http.get("/v1/families/a1", headers=A).json()["name"]):
        family = http.get(f"/v1/families/{name}", headers=A)
        assert [each["id"] for each in family.json()["members"]] == ["a1", "a2"]
        assert family.json()["documents"] == 2
        assert not [id for id in ("b1", "b2", "b3") if f'"{id}"' in family.text]


def test_near_documents_of_another_tenant_are_not_shown(
    serve: Serve, client: Any, tenants: str, index_name: str
) -> None:
    # Without a run of families, the new version is near the family and not in it.
    from es_simhash.maintenance.families.find_families import find_families
    from tests.support.library import fill
    from tests.support.shelf import revised

    client.indices.create(
        index=index_name, mappings={"properties": {"tenant": {"type": "keyword"}}}
    )
    first = {"id": "a1", "text": FIRST, "tenant": "a"}
    fill(client, index_name, first, semantics=None)
    find_families(client, index_name)
    fill(client, index_name, {"id": "b1", "text": revised(FIRST, 1), "tenant": "b"}, semantics=None)
    open_to_all = serve(index_name).get("/v1/families/a1").json()
    assert [each["id"] for each in open_to_all["near"]] == ["b1"]
    http = serve(index_name, tenant_config())
    assert http.get("/v1/families/a1", headers=A).json()["near"] == []
    client.indices.delete(index=f"{index_name}-simhash", ignore_unavailable=True)


def test_answers_of_one_tenant_are_not_in_the_cache_of_another(serve: Serve, tenants: str) -> None:
    http = serve(tenants, tenant_config())
    assert http.get("/v1/related/b1", headers=bearer(KEYS["b"])).status_code == 200
    assert http.get("/v1/related/b1", headers=A).status_code == 404
    tag = http.get("/v1/related/b1", headers=bearer(KEYS["b"])).headers["etag"]
    assert http.get("/v1/related/b1", headers={**A, "If-None-Match": tag}).status_code == 404


def test_the_shared_filter_holds_for_every_key(serve: Serve, tenants: str) -> None:
    config = tenant_config(filter={"ids": {"values": ["a1", "b1"]}})
    http = serve(tenants, config)
    assert http.get("/v1/documents/a1", headers=A).status_code == 200
    assert http.get("/v1/documents/a2", headers=A).status_code == 404
    assert http.get("/v1/documents/b1", headers=A).status_code == 404


@pytest.mark.variants
@pytest.mark.parametrize(
    "headers",
    [
        {}, bearer("wrong"), {"X-Api-Key": ""}, {"Authorization": KEYS["a"]},
        {"Authorization": f"Basic {KEYS['a']}"}, {"X-Api-Key": "the-key-of-tenant-A"},
        {"X-Api-Key": KEYS["a"][:-1]},
    ],
)  # fmt: skip
def test_without_a_valid_key_nothing_is_answered(
    serve: Serve, tenants: str, headers: dict[str, str]
) -> None:
    http = serve(tenants, tenant_config())
    for path in ("/v1/related/a1", "/v1/documents/a1", "/v1/families/a1", "/v1/compare/a1/a2"):
        answer = http.get(path, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
    assert http.post("/v1/related", headers=headers, json={"text": FIRST}).status_code == 401
    assert http.get("/v1/documents/a1", headers={"X-Api-Key": KEYS["a"]}).status_code == 200


def rules(**more: Any) -> ServiceConfig:
    return ServiceConfig(tokens=TokenRules("HS256", SECRET, claims={"tenant": "tenant"}, **more))


def token(secret: str = SECRET, algorithm: str = "HS256", **claims: Any) -> str:
    body = {"exp": time.time() + 60, "tenant": "a", **claims}
    return jwt.encode(
        {name: value for name, value in body.items() if value is not None}, secret, algorithm
    )


def test_a_token_sees_what_its_claims_say(serve: Serve, tenants: str) -> None:
    http = serve(tenants, rules())
    assert http.get("/v1/documents/a1", headers=bearer(token())).status_code == 200
    assert http.get("/v1/documents/b1", headers=bearer(token())).status_code == 404
    both = bearer(token(tenant=["a", "b"]))
    assert http.get("/v1/compare/a1/b1", headers=both).status_code == 200


@pytest.mark.variants
@pytest.mark.parametrize(
    "credential",
    [
        token("another secret of more than thirty-two bytes"),
        token(exp=time.time() - 60),
        token(exp=None),
        token("", "none"),
        token(SECRET * 2, "HS512"),
        token(tenant=None),
        token(tenant={"match_all": {}}),
        token(tenant=[]),
        token(tenant=[["a"]]),
        token(nbf=time.time() + 600),
        token()[:-3],
        token().rpartition(".")[0] + ".",
        "a.b.c",
        "..",
        KEYS["a"],
    ],
    ids=[
        "another secret",
        "expired",
        "without expiry",
        "unsigned",
        "another algorithm",
        "without the claim",
        "a query as claim",
        "an empty list as claim",
        "a list in a list as claim",
        "not yet valid",
        "a shortened signature",
        "no signature",
        "three parts",
        "two dots",
        "a key",
    ],
)
def test_a_token_that_is_not_valid(serve: Serve, tenants: str, credential: str) -> None:
    answer = serve(tenants, rules()).get("/v1/documents/a1", headers=bearer(credential))
    assert answer.status_code == 401


@pytest.mark.variants
@pytest.mark.parametrize("tenant", ["*", "a OR b", "a b", '"}}]}', "", True, 0])
def test_a_claim_is_data_and_no_query(serve: Serve, tenants: str, tenant: Any) -> None:
    http = serve(tenants, rules())
    for path in ("/v1/documents/a1", "/v1/documents/b1", "/v1/families/a1", "/v1/compare/a1/b1"):
        assert http.get(path, headers=bearer(token(tenant=tenant))).status_code == 404
    text = http.post("/v1/related", headers=bearer(token(tenant=tenant)), json={"text": FIRST})
    assert text.json()["relations"] == []


def test_issuer_and_audience_are_checked(serve: Serve, tenants: str) -> None:
    http = serve(tenants, rules(issuer="site", audience="related"))
    good = {"iss": "site", "aud": "related"}
    for claims, status in (
        (good, 200), ({**good, "iss": "other"}, 401), ({**good, "aud": "other"}, 401), ({}, 401),
    ):  # fmt: skip
        assert http.get("/v1/documents/a1", headers=bearer(token(**claims))).status_code == status


def test_a_token_for_others_is_not_valid_where_no_audience_is_named(
    serve: Serve, tenants: str
) -> None:
    http = serve(tenants, rules())
    for audience in ("billing", ["billing", "related"]):
        answer = http.get("/v1/documents/a1", headers=bearer(token(aud=audience)))
        assert answer.status_code == 401


def test_a_public_key_is_no_secret(
    serve: Serve, tenants: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import base64
    import hashlib
    import hmac

    from es_simhash.service.config_file import read_configuration

    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (tmp_path / "key.pem").write_bytes(public)
    (tmp_path / "service.toml").write_text(
        '[tokens]\nalgorithm = "RS256"\npublic_key_file = "key.pem"\n'
        '[tokens.claims]\ntenant = "tenant"\n'
    )
    http = serve(tenants, read_configuration(tmp_path / "service.toml"))
    good = jwt.encode({"exp": time.time() + 60, "tenant": "a"}, private, "RS256")
    assert http.get("/v1/documents/a1", headers=bearer(good)).status_code == 200
    head, body = token().split(".")[:2]
    signed = f"{head}.{body}"
    digest = hmac.new(public, signed.encode(), hashlib.sha256).digest()
    forged = f"{signed}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"
    assert http.get("/v1/documents/a1", headers=bearer(forged)).status_code == 401


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("10.0.0.5", "10.0.0.5"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.5", "10.0.0.5"),
        ("testclient", "testclient"),
    ],
)
def test_whoever_has_a_network_of_ipv6_is_one_caller(address: str, counted: str) -> None:
    assert network_of(address) == counted


def test_the_name_of_a_family_tells_nothing_of_a_text(
    serve: Serve, client: Any, tenants: str
) -> None:
    stored = client.get(index=tenants, id="a1")["_source"]["simhash"]["family"]
    assert serve(tenants).get("/v1/families/a1").json()["name"] == stored
    config = tenant_config()
    http = serve(tenants, config)
    name = http.get("/v1/families/a1", headers=A).json()["name"]
    found = http.get("/v1/related/a1", headers=A)
    assert found.json()["document"]["family"] == name
    assert found.json()["relations"][0]["document"]["family"] == name
    for path in ("/v1/families/a1", "/v1/related/a1", "/v1/documents/a1", "/v1/compare/a1/a2"):
        assert stored not in http.get(path, headers=A).text, path
    # Nor can a guess be checked here.
    missing = http.get("/v1/families/no-such-family", headers=A)
    assert comparable(http.get(f"/v1/families/{stored}", headers=A)) == comparable(missing)
    assert comparable(http.get("/v1/families/f-AAAA", headers=A)) == comparable(missing)
    # With one secret it is the same wherever and whenever it is asked for, with another one not.
    assert serve(tenants, config).get("/v1/families/a1", headers=A).json()["name"] == name
    other = serve(tenants, replace(config, secret=b"another secret")).get(
        "/v1/families/a1", headers=A
    )
    assert other.json()["name"] != name


@pytest.mark.long
def test_the_pages_of_a_key_name_families_alike(serve: Serve, client: Any, tenants: str) -> None:
    stored = client.get(index=tenants, id="a1")["_source"]["simhash"]["family"]
    http = serve(tenants, replace(tenant_config(), explorer=True))
    auth = ("any", KEYS["a"])
    name = http.get("/v1/families/a1", headers=A).json()["name"]
    for path in ("", "families/", "documents/a1", "overview", "?q=Title", f"families/{name}"):
        page = http.get(f"/explorer/{path}", auth=auth)
        assert page.status_code == 200, path
        assert stored not in page.text, path
    for path in ("families/", "documents/a1", "overview"):
        assert f"/explorer/families/{name}" in http.get(f"/explorer/{path}", auth=auth).text, path
