"""The explorer's pages over HTTP: what they show, to whom, and what they say when they cannot."""

import base64
import re
import threading
from typing import Any
from urllib.parse import quote

import pytest

from es_simhash.service.config_file import read_configuration
from es_simhash.service.explorer import counted_pages
from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from es_simhash.store.installation.install import install
from tests.support.pages import Page
from tests.support.proxy import Proxy
from tests.support.service import KEYS, ODD_IDS, Serve, bearer, tenant_config, tenant_documents
from tests.support.shelf import text

pytestmark = pytest.mark.cluster

PAGES = (
    "/explorer/", "/explorer/?q=title", "/explorer/overview", "/explorer/families/",
    "/explorer/families/a1", "/explorer/documents/a1", "/explorer/compare/a1/a2",
    "/explorer/pairs", "/explorer/pairs?kind=copies", "/explorer/ungrouped",
    "/explorer/families/?from=1&to=1",
)  # fmt: skip
FOREIGN = ("b1", "b2", "b3")


def page(http: Any, path: str, **more: Any) -> Page:
    answer = http.get(path, **more)
    assert answer.status_code == 200, (path, answer.text)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Page(answer.text)


def basic(password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"me:{password}".encode()).decode()}


@pytest.mark.parametrize("path", [*PAGES, "/explorer/nothing", "/explorer/documents/none"])
def test_a_page_has_one_heading_a_strict_policy_and_nothing_inline(
    serve: Serve, tenants: str, path: str
) -> None:
    answer = serve(tenants).get(path)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    found = Page(answer.text)
    assert found.tags.count("h1") == found.tags.count("main") == 1
    assert found.tags[0] == "html"
    assert "style" not in found.tags
    names = {name for name, _ in found.attributes}
    assert not {name for name in names if name == "style" or name.startswith("on")}
    assert "#main" in found.values("href")
    addresses = [*found.values("src"), *found.values("href")]
    assert not [value for value in addresses if not re.match(r"[/#]", value)]


def test_the_first_page_shows_the_newest_versions_and_the_largest_families(
    serve: Serve, tenants: str
) -> None:
    http = serve(tenants)
    # Nothing else was opened before, which would have counted them.
    home = page(http, "/explorer/")
    overview = page(http, "/explorer/overview")
    for heading in ("The newest versions", "The largest families"):
        assert heading in overview.words
        assert heading in home.words
    assert "Title of b3" in home.words
    assert "2024-01-01" in home.words
    # Who chooses a family by its title sees its versions, not one of them.
    (family,) = re.findall(r'<a href="(/explorer/families/[0-9a-f]{16})"[^>]*><bdi', home.source)
    assert "5 versions of" in page(http, family).words


def test_the_first_page_says_how_many_documents_there_are_while_families_are_counted(
    serve: Serve, tenants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted_pages, "_SHORT_WAIT", 0.0)
    home = page(serve(tenants), "/explorer/")
    assert "their families are being counted. Show them" in home.words
    (count,) = re.findall(r"(\d+) documents; their", home.words)
    assert int(count) == len(list(tenant_documents()))


def test_every_link_leads_to_a_page(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(limits=ServiceLimits(requests_per_minute=0)))
    seen, waiting = set(), {"/explorer/"}
    while waiting:
        path = waiting.pop()
        seen.add(path)
        answer = http.get(path)
        assert answer.status_code == 200, path
        if "html" in answer.headers["content-type"]:
            # The way back makes each page one of many.
            links = {re.sub(r"\?back=.*", "", link) for link in Page(answer.text).values("href")}
            waiting |= {link for link in links if link.startswith("/")} - seen
    families = {path for path in seen if re.fullmatch(r"/explorer/families/[0-9a-f]{16}", path)}
    assert len(families) == 1
    assert {"/explorer/overview", "/explorer/families/?from=4&to=5"} <= seen
    assert {f"/explorer/documents/{quote(id, safe='')}" for id in ("a1", "b3")} <= seen
    assert any(path.startswith("/explorer/compare/a1/") for path in seen)
    assert any(path.startswith("/explorer/pairs?from=") for path in seen)


def test_a_search_shows_one_of_each_family_with_the_number_of_the_others(
    serve: Serve, tenants: str
) -> None:
    http = serve(tenants)
    found = page(http, "/explorer/?q=title")
    shown = [link for link in found.values("href") if link.startswith("/explorer/documents/")]
    ids = [link.partition("?")[0][-2:] for link in shown]
    assert len([id for id in ids if id in ("a1", "a2", *FOREIGN)]) == 1
    assert "4 other versions" in found.words
    assert "5 documents match" in found.words
    own = page(serve(tenants, tenant_config(explorer=True)), "/explorer/?q=title",
               headers=basic(KEYS["a"]))  # fmt: skip
    assert "1 other version" in own.words
    assert "2 documents match" in own.words


def test_a_comparison_shows_the_versions_by_date_that_the_caller_may_see(
    serve: Serve, tenants: str
) -> None:
    everyone = page(serve(tenants), "/explorer/compare/a1/a2")
    assert "5 versions by date" in everyone.words
    following = [
        value
        for value in everyone.values("href")
        if re.fullmatch("/explorer/compare/a2/b[1-3]", value)
    ]
    assert following
    assert "next" in everyone.values("rel")
    answer = serve(tenants, tenant_config(explorer=True)).get(
        "/explorer/compare/a1/a2", headers=basic(KEYS["a"])
    )
    assert "2 versions by date" in Page(answer.text).words
    assert not re.search(rf"\b({'|'.join(FOREIGN)})\b", answer.text)


def test_documents_without_a_family_are_not_taken_for_one(
    serve: Serve, client: Any, index: str
) -> None:
    from tests.support.library import fill

    fill(client, index, *({"id": f"n{n}", "text": f"common word {text(n)}"} for n in range(25)))
    http = serve(index)
    first = page(http, "/explorer/?q=common+word")
    assert "25 documents match" in first.words
    assert first.values("rel").count("next") == 1
    second = page(http, "/explorer/?q=common+word&page=2")
    links = [*first.values("href"), *second.values("href")]
    assert len({link for link in links if "/documents/n" in link}) == 25
    assert "There are no such families" in page(http, "/explorer/families/").words
    assert "have not been grouped into families yet" in page(http, "/explorer/overview").words
    assert "25 documents: without fingerprints" in page(http, "/explorer/ungrouped").words
    assert "versions" not in page(http, "/explorer/documents/n1").words
    assert http.get("/explorer/families/n1").status_code == 404


def test_nothing_is_found_and_nothing_is_there(serve: Serve, client: Any, index_name: str) -> None:
    index = index_name
    install(client, index)
    http = serve(index)
    assert "has no field of titles or texts" in page(http, "/explorer/?q=zzzz").words
    client.indices.put_mapping(index=index, properties={"text": {"type": "text"}})
    assert "No document matches" in page(http, "/explorer/?q=zzzz").words
    assert "This index has no documents" in page(http, "/explorer/overview").words
    assert "This index has no documents" in page(http, "/explorer/").words
    assert "There are no such families" in page(http, "/explorer/families/").words
    assert "There are no such pairs" in page(http, "/explorer/pairs").words


@pytest.mark.parametrize("query", ['"', "((((((((((", "a" * 500, "* -* ~9999999", "\\", "+|-"])
def test_any_query_is_answered(serve: Serve, tenants: str, query: str) -> None:
    answer = serve(tenants).get("/explorer/", params={"q": query})
    assert answer.status_code == 200
    assert serve(tenants).get("/explorer/", params={"q": "a" * 501}).status_code == 400


@pytest.mark.parametrize("id", ODD_IDS)
def test_any_id_has_a_page(serve: Serve, tenants: str, id: str) -> None:
    http, escaped = serve(tenants), quote(id, safe="")
    shown = page(http, f"/explorer/documents/{escaped}")
    assert shown.values("document-id") == [id]
    assert "<b>odd</b>" in shown.text
    assert "b" not in shown.tags[shown.tags.index("main") :]
    assert (
        page(http, f"/explorer/compare/{escaped}/a1")
        .values("href")
        .count(f"/explorer/documents/{escaped}")
    )
    assert (
        http.get(f"/explorer/v1/related/{escaped}").json()
        == http.get(f"/v1/related/{escaped}").json()
    )


def test_only_allowed_fields_are_shown(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(fields=("note.inner",), evidence=False))
    for path in PAGES:
        shown = http.get(path).text
        assert "Title of" not in shown, path
        assert "secret" not in shown, path
        assert not re.search(r"202\d-01-01", shown), path
        assert text(1).split()[3] not in shown, path
    assert "inner of a1" in page(http, "/explorer/documents/a1").words
    assert "has no field of titles or texts" in page(http, "/explorer/?q=Title").words
    overview = page(http, "/explorer/overview").words
    assert "Copied passages are left out" in overview
    assert "Where versions begin" not in overview
    http = serve(tenants, ServiceConfig(fields=("note.inner",)))
    overview = page(http, "/explorer/overview").words
    assert "Where versions begin" in overview
    assert "Title of" not in overview
    # A comparison of it with any other shows its text as well.
    for config in (ServiceConfig(fields=("text",)), ServiceConfig(fields=("note.inner",))):
        shown = page(serve(tenants, config), "/explorer/documents/a1").words
        assert " ".join(text(1).split())[:80] in shown
        assert "secret" not in shown
    hidden = serve(tenants, ServiceConfig(fields=("text",), evidence=False))
    assert " ".join(text(1).split())[:80] in page(hidden, "/explorer/documents/a1").words


def test_another_tenant_is_on_no_page(serve: Serve, tenants: str) -> None:
    http = serve(tenants, tenant_config(explorer=True))
    for path in PAGES:
        shown = page(http, path, headers=basic(KEYS["a"]))
        for id in FOREIGN:
            assert f"Title of {id}" not in shown.source, path
            assert f"/{id}" not in shown.source, path
    overview = page(http, "/explorer/overview", headers=basic(KEYS["a"]))
    assert "of these 12 documents are versions" in overview.words
    assert "of these 3 documents are versions" in (
        page(http, "/explorer/overview", headers=basic(KEYS["b"])).words
    )
    assert "2 versions of" in page(http, "/explorer/families/a1", headers=basic(KEYS["a"])).words


@pytest.mark.parametrize(
    ("foreign", "missing"),
    [
        ("/explorer/documents/b1", "/explorer/documents/zz"),
        ("/explorer/families/b1", "/explorer/families/zz"),
        ("/explorer/compare/a1/b1", "/explorer/compare/a1/zz"),
        ("/explorer/compare/b1/a1", "/explorer/compare/zz/a1"),
        ("/explorer/v1/related/b1", "/explorer/v1/related/zz"),
    ],
)
def test_a_foreign_document_has_the_page_of_a_missing_one(
    serve: Serve, tenants: str, proxy: Proxy, foreign: str, missing: str
) -> None:
    sent: list[tuple[str, int]] = []
    http = serve(tenants, tenant_config(explorer=True), url=proxy.url)
    http.get("/explorer/families/zx", headers=basic(KEYS["a"]))
    proxy.hook = lambda path, body: sent.append((path, len(body)))
    answers = []
    for path in (foreign, missing):
        sent.clear()
        answer = http.get(path, headers=basic(KEYS["a"]))
        answers.append((answer.status_code, answer.text, list(sent)))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404
    assert "There is no such document" in answers[0][1]


def test_with_keys_it_is_off_unless_it_is_switched_on(serve: Serve, tenants: str) -> None:
    off = serve(tenants, tenant_config())
    for path in (*PAGES, "/explorer/static/explorer.css", "/explorer/v1/related/a1", "/"):
        answer = off.get(path, headers=bearer(KEYS["a"]))
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
    assert serve(tenants, ServiceConfig(explorer=False)).get("/explorer/").status_code == 404
    on = serve(tenants, tenant_config(explorer=True))
    for path in (*PAGES, "/explorer/nothing"):
        answer = on.get(path)
        assert (answer.status_code, answer.headers["www-authenticate"][:6]) == (401, "Basic ")
        assert "text/html" in answer.headers["content-type"]
        assert tenants not in answer.text
    for wrong in (basic("guess"), basic(""), {"Authorization": "Basic ÿ%%"}, bearer("guess"),
                  {"Authorization": "Basic"}):  # fmt: skip
        given = {name: value.encode("latin-1") for name, value in wrong.items()}
        assert on.get("/explorer/", headers=given).status_code == 401
        assert on.get("/explorer/v1/related/a1", headers=given).status_code == 401
    assert on.get("/explorer/v1/related/a1", headers=basic(KEYS["a"])).status_code == 200
    assert on.get("/explorer/documents/a1", headers=bearer(KEYS["a"])).status_code == 200
    # The API itself takes no passwords, which a browser would send along for any page.
    assert on.get("/v1/related/a1", headers=basic(KEYS["a"])).status_code == 401
    assert on.get("/").headers["location"] == "/explorer/"


def test_pages_count_for_the_rate_limit_and_errors_are_pages(serve: Serve, tenants: str) -> None:
    http = serve(tenants, ServiceConfig(limits=ServiceLimits(requests_per_minute=2)))
    statuses = [http.get("/explorer/ungrouped").status_code for _ in range(2)]
    many = http.get("/v1/documents/a1")
    assert [*statuses, many.status_code] == [200, 200, 429]
    answer = http.get("/explorer/ungrouped")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    assert "Too many requests" in Page(answer.text).words
    posted = http.post("/explorer/")
    assert posted.status_code == 405
    assert "text/html" in posted.headers["content-type"]


@pytest.mark.parametrize("path", ["?page=0", "?page=x", "families/?from=0", "pairs?from=nan",
                                  "pairs?to=2"])  # fmt: skip
def test_a_parameter_that_may_not_be_chosen_is_an_error(
    serve: Serve, tenants: str, path: str
) -> None:
    answer = serve(tenants).get(f"/explorer/{path}")
    assert answer.status_code == 400
    assert "must be a" in Page(answer.text).words


def test_while_the_engine_is_away_pages_say_so_and_come_back(
    serve: Serve, tenants: str, proxy: Proxy
) -> None:
    http = serve(tenants, ServiceConfig(limits=ServiceLimits(seconds=5)), url=proxy.url)
    assert http.get("/explorer/").status_code == 200
    fresh = serve(tenants, ServiceConfig(limits=ServiceLimits(seconds=5)), url=proxy.url)
    proxy.hook = lambda path, body: (503, b"{}")
    for path in ("/explorer/", "/explorer/?q=title", "/explorer/overview", "/explorer/families/",
                 "/explorer/documents/a1", "/explorer/compare/a1/a2"):  # fmt: skip
        answer = fresh.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2"), path
        assert answer.headers["cache-control"] == "no-store"
        assert "The search engine does not answer" in Page(answer.text).words
    proxy.hook = lambda path, body: None
    assert fresh.get("/explorer/overview").status_code == 200


def test_the_overview_is_kept_and_says_when_it_was_made(
    serve: Serve, tenants: str, proxy: Proxy
) -> None:
    http = serve(tenants, url=proxy.url)
    first = page(http, "/explorer/overview")
    sent: list[str] = []
    proxy.hook = lambda path, body: sent.append(path)
    assert page(http, "/explorer/overview").source == first.source
    assert sent == []
    assert re.search(r"Index test-\w+, \d{4}-\d\d-\d\d \d\d:\d\d", first.words)


def test_what_takes_long_says_so_and_opens_again(
    serve: Serve, tenants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.service.explorer import counted_pages
    from es_simhash.service.explorer.explorer_reader import ExplorerReader

    may_read, read = threading.Event(), ExplorerReader.families

    def read_late(reader: ExplorerReader, *choice: Any) -> Any:
        may_read.wait(60)
        return read(reader, *choice)

    monkeypatch.setattr(ExplorerReader, "families", read_late)
    monkeypatch.setattr(counted_pages, "_WAIT", 0.0)
    http = serve(tenants)
    answer = http.get("/explorer/families/")
    assert answer.headers["refresh"] == "3"
    assert "are being counted" in Page(answer.text).words
    may_read.set()
    monkeypatch.setattr(counted_pages, "_WAIT", 20.0)
    assert "1 family" in page(http, "/explorer/families/").words


def test_the_configuration_switches_it(tmp_path: Any) -> None:
    file = tmp_path / "service.toml"
    key = f'[[keys]]\nname = "a"\nsha256 = "{"0" * 64}"\n'
    for content, has_explorer in (
        ("", True), ("explorer = false", False), (key, False), (f"explorer = true\n{key}", True),
    ):  # fmt: skip
        file.write_text(content)
        assert read_configuration(file).has_explorer == has_explorer
    file.write_text('explorer = "yes"')
    with pytest.raises(Exception, match="explorer must be true or false, got 'yes'"):
        read_configuration(file)


@pytest.mark.parametrize("page_path", ["/v1/openapi.json"])
def test_pages_are_not_part_of_the_api(serve: Serve, tenants: str, page_path: str) -> None:
    paths = serve(tenants).get(page_path).json()["paths"]
    assert not [path for path in paths if "explorer" in path]


def test_a_document_that_vanished_meanwhile_has_its_id() -> None:
    from es_simhash.service.explorer.rendering import environment

    shown = environment().from_string("{{ title_of(none, id) }}, {{ language_of(none) }}")
    assert shown.render(id="<gone>") == "&lt;gone&gt;, None"
