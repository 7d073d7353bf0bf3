"""`es-simhash related` and `install` on an engine: what is refused, and what is shown."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import elastic_transport
import pytest

from es_simhash.relation.thresholds import SCORING

pytestmark = pytest.mark.cluster

TEXT = "The keeper of the light writes down wind, weather and every ship that passes the point."
# ESC, CSI of one character, right-to-left override, bell.
STEERING = "\x1b[31m\x9b2J\u202e\x07"


def is_harmless(shown: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in shown)


def fill(client: Any, index: str, *documents: dict[str, Any]) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    install(client, index)
    outcomes = ingest(client, index, documents)
    assert [each for each in outcomes if not each.ok] == []
    client.indices.refresh(index=index)


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    """Two documents of one text, and one whose text is gone."""
    fill(client, index_name, *({"id": id, "text": TEXT} for id in "12"))
    client.index(index=index_name, id="bare", document={"title": "No text"}, refresh=True)
    return index_name


@pytest.fixture
def ask(run: Any, cluster_url: str) -> Callable[..., Any]:
    """Run `related` on the engine."""

    def call(*arguments: object) -> Any:
        return run("related", *arguments, "--url", cluster_url)

    return call


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The requests that any client sends; they are still sent."""
    requests: list[str] = []
    perform = elastic_transport.Transport.perform_request

    def recording(transport: Any, method: str, target: str, **more: Any) -> Any:
        path = target.partition("?")[0]
        # The lines of a multi-search alternate; those before each search name another index.
        lines = more["body"][::2] if path.endswith("/_msearch") else []
        requests.append(" ".join([method, path, *(line.get("index", "") for line in lines)]))
        return perform(transport, method, target, **more)

    monkeypatch.setattr(elastic_transport.Transport, "perform_request", recording)
    return requests


# What is refused


@pytest.mark.parametrize("question", [["--text", TEXT], ["--id", "1"], ["--id", "1", "--id", "2"]])
def test_a_missing_index(ask: Any, index_name: str, question: list[str]) -> None:
    sentence = ask(index_name, *question).refusal()
    assert re.search(rf"Index '{index_name}' does not exist( at http://\S+)?\. ", sentence)
    # What one wants is an index that is there; tests/cli/test_messages.py asserts which.
    assert re.search(r"Name one of |Did you mean |Create it with `es-simhash install ", sentence)


def test_a_missing_document(ask: Any, index: str) -> None:
    assert f"Document '3' is not in index '{index}'" in ask(index, "--id", "3").refusal()
    assert "Document '3' is not" in ask(index, "--id", "1", "--id", "3").refusal()


def test_an_index_without_our_fields(ask: Any, client: Any, index_name: str) -> None:
    client.index(index=index_name, id="1", document={"text": TEXT}, refresh=True)
    for question in (["--text", TEXT], ["--id", "1"]):
        sentence = ask(index_name, *question).refusal()
        assert f"no fingerprint fields under 'simhash'. Run `es-simhash install {index_name}`" in (
            sentence
        )


def test_a_document_without_text(ask: Any, client: Any, index: str) -> None:
    assert "Document 'bare' has no text in field 'text'" in ask(index, "--id", "bare").refusal()
    assert "no text in field 'body'" in ask(index, "--id", "1", "--text-field", "body").refusal()
    client.index(index=index, id="odd", document={"text": 5}, refresh=True)
    assert "holds int, not text" in ask(index, "--id", "odd").refusal()


def test_a_document_of_another_scheme(ask: Any, client: Any, index: str) -> None:
    from es_simhash import Scheme

    other = Scheme(blocks=16).name
    client.update(index=index, id="2", doc={"simhash": {"scheme": other}}, refresh=True)
    assert f"'2' has fingerprints of scheme '{other}'" in ask(index, "--id", "2").refusal()


def test_a_scheme_the_index_has_not(run: Any, cluster_url: str, index: str) -> None:
    from es_simhash import Scheme

    name = Scheme(64, 4).name
    done = run("install", index, "--scheme", name, "--url", cluster_url)
    assert f"not '{name}'. Set --simhash-field." in done.refusal()


@pytest.mark.parametrize("value", ["", "{", "lang:en", "{'term': {}}", '{"a": 1} {"b": 2}'])
def test_a_filter_that_is_no_json(ask: Any, value: str) -> None:
    assert "--filter is not valid JSON" in ask("a", "--text", TEXT, "--filter", value).refusal()


@pytest.mark.parametrize(("value", "kind"), [("[]", "list"), ("5", "int"), ("null", "NoneType")])
def test_a_filter_that_is_no_query(ask: Any, value: str, kind: str) -> None:
    assert (
        f"--filter must be a JSON object, got {kind}"
        in ask("a", "--text", TEXT, "--filter", value).refusal()
    )


@pytest.mark.variants
@pytest.mark.parametrize("query", [{"nope": {}}, {"term": {"a": {"b": {}}}}, {}, {"term": 5}])
def test_a_filter_that_the_server_refuses(ask: Any, index: str, query: Any) -> None:
    sentence = ask(index, "--text", TEXT, "--filter", json.dumps(query)).refusal()
    assert "rejects the " in sentence


@pytest.mark.parametrize("k", [8, 200])
def test_a_k_too_large(ask: Any, index: str, k: int) -> None:
    sentence = ask(index, "--text", TEXT, "--k", k).refusal()
    assert f"8 blocks promise a Hamming distance of 0 to 7, not {k}" in sentence


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "--id, --text-file and --text"),
        (["--id", "1", "--text", "a"], "--id, --text-file and --text"),
        (["--text", "a", "--text-file", "b"], "--id, --text-file and --text"),
        (["--text", "a", "--kind", "copy"], "'copy'"),
        (["--text", "a", "--k", "-1"], "-1"),
        (["--text", "a", "--size", "0"], "0"),
        (["--text", "a", "--min-score", "1.5"], "1.5"),
        (["--text", "a", "--candidates", "10001"], "10001"),
        (["--text", "a", "--format", "xml"], "'xml'"),
        (["--text", "a", "--ca-certs", "absent.pem"], "absent.pem"),
    ],
)
def test_wrong_usage(run: Any, arguments: list[str], named: str) -> None:
    assert named in run("related", "a", *arguments).wrong_usage()


# What is shown


def test_several_documents_are_answered_by_their_ids(ask: Any, index: str) -> None:
    done = ask(index, "--id", "1", "--id", "2", "--format", "json")
    found = json.loads(done.out)
    assert [(each["query"], [hit["id"] for hit in each["relations"]]) for each in found] == [
        ("1", ["2"]), ("2", ["1"]),
    ]  # fmt: skip
    # One document is answered in the same shape.
    assert json.loads(ask(index, "--id", "1", "--format", "json").out) == found[:1]
    assert {name: value for name, value in found[0].items() if name != "relations"} == {
        "query": "1", "total": 1, "is_estimate": False, "next": None, "truncated": False,
        "left_out": [], "scoring": SCORING,
    }  # fmt: skip


def test_a_text_comes_from_a_file(ask: Any, index: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT, "utf-8")
    (found,) = json.loads(ask(index, "--text-file", path, "--format", "json").out)
    assert found["query"] == "a.txt"
    assert [each["id"] for each in found["relations"]] == ["1", "2"]
    assert "Related to a.txt" in ask(index, "--text-file", path).out


def test_nothing_related_is_said(ask: Any, index: str) -> None:
    done = ask(index, "--text", "Nobody knows when the quarry was dug, nor by whom.")
    assert (done.status, done.err) == (0, "")
    assert "No relations found for the text." in done.out
    done = ask(index, "--text", "", "--format", "json")
    (found,) = json.loads(done.out)
    assert (done.status, found["total"], found["relations"]) == (0, 0, [])


def test_the_table_shows_ids_kinds_and_passages(ask: Any, index: str) -> None:
    out = ask(index, "--id", "1", "--evidence").out
    assert "Related to 1" in out
    assert "exact" in out
    assert "is the same text as" in out
    assert "word for word" in out
    assert "word for word" not in ask(index, "--id", "1").out


def test_a_cut_is_said(ask: Any, client: Any, index_name: str) -> None:
    fill(client, index_name, *({"id": str(n), "text": TEXT} for n in range(4)))
    done = ask(index_name, "--id", "0", "--candidates", "2", "--format", "json")
    assert done.status == 0
    assert "truncated: more candidates than were examined for 0" in done.err
    (found,) = json.loads(done.out)
    assert found["truncated"]
    assert all(each["truncated"] for each in found["relations"])
    assert "3 of at least 3." in ask(index_name, "--id", "0", "--candidates", "2").out
    whole = ask(index_name, "--id", "0", "--candidates", "3")
    assert (whole.err, "3 of 3." in whole.out) == ("", True)


def test_explaining_a_query_searches_no_documents(ask: Any, index: str, sent: list[str]) -> None:
    done = ask(index, "--id", "1", "--explain-query", "--k", "2")
    bodies = json.loads(done.out)
    # Shared shingles, near fingerprints, semantic features, and the words of passages.
    kinds = [set(body) & {"query", "knn"} for body in bodies]
    assert kinds == [{"query"}, {"knn"}, {"query", "knn"}, {"query"}, {"query"}]
    assert bodies[1]["knn"][0]["similarity"] == 2
    # What was learned from the index, its vectors and its background, is kept beside it.
    beside = f"POST /{index}/_msearch {index}-simhash"
    assert [each for each in sent if "search" in each] == [beside] * 2
    sent.clear()
    assert json.loads(ask(index, "--text", TEXT, "--explain-query").out)
    assert {each for each in sent if not each.startswith("GET")} == {beside}


def test_explained_searches_are_printed_where_and_as_answers_are(
    ask: Any, index: str, tmp_path: Path
) -> None:
    line = [index, "--id", "1", "--explain-query"]
    wanted = json.loads(ask(*line).out)
    file = tmp_path / "q.json"
    for kind in ("table", "json"):
        assert ask(*line, "--format", kind, "-o", file).out == ""
        assert json.loads(file.read_text("utf-8")) == wanted
    lines = ask(*line, "--format", "jsonl").out.splitlines()
    assert [json.loads(each) for each in lines] == wanted
    several = ask(*line, "--id", "2", "-o", file).wrong_usage()
    assert several.endswith("of one document, got 2; give one --id.")
    refused = ask(*line, "--format", "csv").wrong_usage()
    assert refused.endswith("prints JSON, got --format csv; give json or jsonl.")


def sent_searches(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any]) -> list[Any]:
    """Return the bodies of the first multi-search that is sent, without those of other indices."""
    requests: list[list[Any]] = []
    perform = elastic_transport.Transport.perform_request

    def recording(transport: Any, method: str, target: str, **more: Any) -> Any:
        if "_msearch" in target:
            lines = more["body"]
            searches = zip(lines[::2], lines[1::2], strict=True)
            requests.append([body for header, body in searches if "index" not in header])
        return perform(transport, method, target, **more)

    with monkeypatch.context() as patched:
        patched.setattr(elastic_transport.Transport, "perform_request", recording)
        assert run().status == 0
    return requests[0]


@pytest.mark.variants
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--no-semantics"],
        ["--vectors", "none"],
        ["--scheme", "doc64-word2-b4.chunk128-char4-t8-60.shingle24-word4-w12.v2"],
        ["--simhash-field", "own.fp"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("query", [["--id", "1"], ["--text", TEXT]], ids=["id", "text"])
def test_explained_bodies_are_those_that_are_sent(
    ask: Any, run: Any, client: Any, cluster_url: str, index_name: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, options: list[str], query: list[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    field = options if options[:1] == ["--simhash-field"] else []
    assert run("install", index_name, *options, "--url", cluster_url).status == 0
    Path("a.jsonl").write_text(json.dumps({"id": "1", "text": TEXT}), "utf-8")
    assert run("ingest", index_name, "a.jsonl", *field, "--url", cluster_url).status == 0
    line = [index_name, *query, *field]
    bodies = json.loads(ask(*line, "--explain-query").out)
    assert bodies == sent_searches(monkeypatch, lambda: ask(*line))
    mapped = client.field_caps(index=index_name, fields="*")["fields"]
    named = set(re.findall(r'"((?:simhash|own\.fp)\.\w+)"', json.dumps(bodies)))
    assert len(named) >= 5
    assert named <= mapped.keys()


def test_explained_bodies_for_a_sidecar_are_those_that_are_sent(
    ask: Any, client: Any, index_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill

    for id in "12":
        client.index(index=index_name, id=id, document={"text": TEXT})
    client.indices.refresh(index=index_name)
    sidecar = f"{index_name}-sidecar"
    try:
        assert all(each.ok for each in backfill(client, index_name, sidecar=sidecar))
        client.indices.refresh(index=sidecar)
        bodies = json.loads(ask(sidecar, "--text", TEXT, "--explain-query").out)
        # The last one is of the texts, in the first index.
        assert bodies[:-1] == sent_searches(monkeypatch, lambda: ask(sidecar, "--text", TEXT))
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


@pytest.mark.parametrize("form", ["json", "table"])
def test_a_document_steers_no_terminal(ask: Any, client: Any, index_name: str, form: str) -> None:
    text = TEXT.replace("wind", f"{STEERING} wind")
    documents = [{"id": f"{n}{STEERING}", "text": text} for n in range(2)]
    changed = text.replace("every ship", f"each {STEERING} ship").replace("down", "up")
    fill(client, index_name, *documents, {"id": "c", "text": changed})
    done = ask(index_name, "--id", f"0{STEERING}", "--evidence", "--format", form)
    assert done.status == 0
    assert is_harmless(done.out), ascii(done.out)
    assert is_harmless(done.err)
    if form == "json":
        found = json.loads(done.out)[0]["relations"]
        assert {each["id"] for each in found} == {f"1{STEERING}", "c"}
        assert STEERING in found[0]["evidence"][0]["query"]["text"]


def test_a_missing_id_steers_no_terminal(ask: Any, index: str) -> None:
    assert is_harmless(ask(index, "--id", STEERING).refusal())


# install


def test_install_twice_and_dry(run: Any, cluster_url: str, client: Any, index_name: str) -> None:
    options = ["install", index_name, "--url", cluster_url]
    planned = run(*options, "--dry-run")
    first, body = planned.out.split("\n", 1)
    assert first == f"PUT /{index_name}"
    assert set(json.loads(body)["mappings"]["properties"]) == {"simhash"}
    assert not client.indices.exists(index=index_name)
    assert f"Installed the fingerprint fields of index '{index_name}' under 'simhash'." in (
        run(*options).out
    )
    assert "already has the fields; nothing to do" in run(*options).out
    assert "already has the fields; nothing to do" in run(*options, "--dry-run").out


@pytest.mark.parametrize("name", ["UPPER", "_leading", "a,b", "test-none-*", "a/b", "a b"])
def test_a_name_that_no_index_can_have_is_refused(run: Any, cluster_url: str, name: str) -> None:
    run("install", name, "--url", cluster_url).refusal()


def test_a_field_that_no_match_has_is_named(
    client: Any, index_name: str, ask: Callable[..., Any]
) -> None:
    documents = (
        {"id": id, "text": TEXT, "title": None, "places": [{"name": f"Pier {id}"}]} for id in "12"
    )
    fill(client, index_name, *documents)
    note = "field: no match has 'nope'. Check the name, unless other documents have it.\n"
    # What holds null is there, and so is what lies in lists and objects.
    there = ("--field", "title", "--field", "places.name", "--field", "places", "--field", "no*")
    for format in ("table", "json", "jsonl"):
        shown = ask(index_name, "--id", "1", *there, "--field", "nope", "--format", format)
        assert (shown.status, shown.err) == (0, note), format
        assert ask(index_name, "--id", "1", *there, "--format", format).err == ""
    # Nothing is said of documents that are not there.
    nothing = ("--id", "1", "--exclude", "2", "--field", "nope")
    assert ask(index_name, *nothing).err == ""
