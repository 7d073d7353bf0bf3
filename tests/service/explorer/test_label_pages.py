"""Labelling in the explorer: which pairs, who may answer, what is written, and bad input."""

import pickle
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from es_simhash.errors import InputError
from es_simhash.lab.evaluation import label_file as label_files
from es_simhash.lab.evaluation.label_file import LabelFile
from es_simhash.lab.evaluation.labelled_pairs import read_pairs
from es_simhash.service.explorer import label_pages
from es_simhash.service.service_config import ServiceConfig
from tests.service.explorer.test_explorer_pages import basic
from tests.support.label_forms import LABEL, SAME_SITE, form, open_page, send
from tests.support.pages import Page
from tests.support.service import KEYS, Serve, tenant_config

pytestmark = pytest.mark.cluster


@pytest.fixture
def shifting(client: Any, index_name: str, make_text: Any, revise: Any) -> Any:
    """An index of two pairs of versions, to delete documents of."""
    from tests.support.library import fill

    texts = {f"{name}1": make_text(ord(name)) for name in "ab"}
    texts |= {f"{name}2": revise(texts[f"{name}1"], 3) for name in "ab"}
    fill(client, index_name, *({"id": id, "text": text} for id, text in texts.items()),
         semantics=None)  # fmt: skip
    return index_name


def test_the_score_is_folded_until_the_answer(label_client: Any) -> None:
    source = open_page(label_client)
    before, _, folded = source.partition("<details")
    assert "score 0" not in before
    assert re.search(r"version, score 0\.\d\d", folded)
    assert re.search(r"\d+% of A appears in B", folded)
    after = open_page(label_client, send(label_client, form(source)).headers["location"])
    assert re.search(r"Last label: .*versions \(es-simhash: version, score", Page(after).words)


def test_a_double_answer_writes_once_and_another_answer_is_a_conflict(
    label_client: Any, label_file: Path
) -> None:
    fields = form(open_page(label_client))
    assert {send(label_client, fields).status_code for _ in range(2)} == {303}
    content = label_file.read_bytes()
    answer = send(label_client, {**fields, "answer": "not"})
    assert answer.status_code == 409
    assert "The file has this pair already, as versions" in Page(answer.text).words
    assert label_file.read_bytes() == content
    undo = form(open_page(label_client), "undo")
    assert [send(label_client, undo).status_code for _ in range(2)] == [303, 409]
    assert label_file.read_text("utf-8") == "id1\tid2\tlabel\n"


def test_a_form_of_another_site_writes_nothing(label_client: Any, label_file: Path) -> None:
    fields = form(open_page(label_client))
    foreign: list[dict[str, str]] = [
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Referer": "http://127.0.0.1/explorer/label"},
    ]
    for headers in foreign:
        answer = send(label_client, fields, **headers)
        assert answer.status_code == 403, headers
        assert "not sent by a page of this service" in Page(answer.text).words
        assert not label_file.exists()
    own = str(label_client.base_url).rstrip("/")
    assert send(label_client, fields, Origin=own).status_code == 303


def test_what_no_page_offered_is_not_written(label_client: Any, label_file: Path) -> None:
    fields = form(open_page(label_client))
    for wrong, status in (
        ({**fields, "token": ""}, 403),
        ({**fields, "token": "é"}, 403),
        ({**fields, "pair": "old0/old1"}, 403),
        ({**fields, "pair": fields["pair"].split("/")[0]}, 403),
        ({**fields, "answer": "maybe"}, 400),
        ({**fields, "from": "-1"}, 400),
        ({**fields, "seed": "x"}, 400),
        ({**fields, "pair": "x" * 20_000}, 413),
        ({"answer": "not"}, 403),
    ):
        assert send(label_client, wrong).status_code == status, wrong
    twice = f"pair={quote(fields['pair'])}&pair=a&token={fields['token']}&answer=not"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    for content, more, status in (
        (twice, kind, 400),
        ("\xff", kind, 400),
        ("{}", {"Content-Type": "application/json"}, 415),
    ):
        answer = label_client.post(LABEL, content=content.encode(), headers={**SAME_SITE, **more})
        assert answer.status_code == status
    assert not label_file.exists()


def test_a_pair_that_vanished_is_passed_over_and_not_written(
    serve: Serve, client: Any, shifting: str, label_file: Path
) -> None:
    http = serve(shifting, ServiceConfig(labels=label_file))
    fields = form(open_page(http))
    gone = fields["pair"].split("/")[0]
    client.delete(index=shifting, id=gone, refresh=True)
    answer = send(http, fields)
    assert answer.status_code == 404
    assert "no longer there. Nothing was written" in Page(answer.text).words
    assert LABEL in Page(answer.text).values("href")
    assert not label_file.exists()
    assert gone not in form(open_page(http))["pair"]


def test_documents_that_cannot_be_read_are_counted(
    serve: Serve, client: Any, shifting: str, label_file: Path
) -> None:
    source = client.get(index=shifting, id="a1")["_source"]
    del source["text"]
    client.index(index=shifting, id="bare", document=source, refresh=True)
    source = open_page(serve(shifting, ServiceConfig(labels=label_file)))
    assert "1 document of the sample cannot be read and is left out" in Page(source).words
    assert "bare" not in form(source)["pair"]


def test_all_workers_sign_forms_alike() -> None:
    config = ServiceConfig(labels=Path("pairs.tsv"))
    # A worker gets the configuration of the process that starts it.
    assert pickle.loads(pickle.dumps(config)).secret == config.secret
    assert ServiceConfig().secret != config.secret


def test_what_takes_long_says_so(label_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_pages, "_WAIT", 0.0)
    answer = label_client.get(LABEL)
    assert answer.headers["refresh"] == "3"
    assert "Pairs are being searched" in Page(answer.text).words
    monkeypatch.undo()
    assert "this is pair 1" in Page(open_page(label_client)).words


def test_a_file_that_another_command_has_is_an_error_that_passes(
    label_client: Any, label_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_files, "_PATIENCE", 0.1)
    fields = form(open_page(label_client))
    with LabelFile(label_file):
        for answer in (send(label_client, fields), label_client.get(LABEL)):
            assert answer.status_code == 409
            assert "Another command is using the label file" in Page(answer.text).words
    assert send(label_client, fields).status_code == 303
    label_file.write_text("a\tb\tmaybe\n", "utf-8")
    for answer in (send(label_client, fields), label_client.get(LABEL)):
        assert answer.status_code == 503
        assert "es-simhash serve --check" in Page(answer.text).words
    assert label_file.read_text("utf-8") == "a\tb\tmaybe\n"


def test_a_caller_labels_documents_that_they_may_see(
    serve: Serve, tenants: str, label_file: Path
) -> None:
    http = serve(tenants, tenant_config(explorer=True, labels=label_file))
    a, b = basic(KEYS["a"]), basic(KEYS["b"])
    source = open_page(http, headers=a)
    fields = form(source)
    assert fields["pair"] == "a1/a2"
    assert not re.search(r"\bb[123]\b", source)
    assert http.post(LABEL, data=fields, headers=SAME_SITE).status_code == 401
    assert http.post(LABEL, data=fields, headers={**SAME_SITE, **b}).status_code == 403
    assert not label_file.exists()
    assert http.post(LABEL, data=fields, headers={**SAME_SITE, **a}).status_code == 303
    assert "Last label: a1 and a2" in Page(open_page(http, headers=a)).words
    other = open_page(http, headers=b)
    assert "Last label" not in Page(other).words
    assert not re.search(r"\ba[12]\b", other)
    assert set(form(other)["pair"].split("/")) <= {"b1", "b2", "b3"}


def test_dates_that_may_not_be_shown_order_no_pair(
    serve: Serve, labelled_index: str, label_file: Path
) -> None:
    http = serve(labelled_index, ServiceConfig(labels=label_file, fields=("title",)))
    source = open_page(http)
    first, second = form(source)["pair"].split("/")
    assert source.index(f"documents/{first}") < source.index(f"documents/{second}")
    assert "2023-02-01" not in source


def test_all_ids_are_labelled_in_jsonl_and_at_the_end_skipped_ones_are_offered(
    serve: Serve, client: Any, shifting: str, tmp_path: Path, make_text: Any, revise: Any
) -> None:
    from tests.support.library import fill

    tab = make_text(21)
    fill(client, shifting, {"id": "tab\tone", "text": tab},
         {"id": "tab two", "text": revise(tab, 71, 0.05)}, semantics=None)  # fmt: skip
    tsv = open_page(serve(shifting, ServiceConfig(labels=tmp_path / "pairs.tsv")))
    assert re.search(r"[1-9] pairs? (is|are) left out, whose ids TSV cannot hold", Page(tsv).words)
    file = tmp_path / "pairs.jsonl"
    http = serve(shifting, ServiceConfig(labels=file))
    location, answers = LABEL, 0
    while 'name="answer" value="skip"' in (source := open_page(http, location)):
        button = "not" if form(source)["pair"] == "tab%09one/tab%20two" else "skip"
        location = send(http, {**form(source), "answer": button}).headers["location"]
        answers += 1
    assert read_pairs(file).labels == {("tab\tone", "tab two"): False}
    assert f"No more pairs after pair {answers}" in Page(source).words
    assert LABEL in Page(source).values("href")
    assert f"{LABEL}?seed=2" in Page(source).values("href")
    # The form of the page keeps the seed.
    assert form(open_page(http, f"{LABEL}?seed=2"))["seed"] == "2"


def test_without_a_label_file_there_is_no_page(serve: Serve, tenants: str) -> None:
    http = serve(tenants)
    assert http.get(LABEL).status_code == 404
    assert http.post(LABEL, data={"pair": "a1/a2"}, headers=SAME_SITE).status_code == 404
    assert LABEL not in Page(http.get("/explorer/").text).values("href")


def test_an_index_without_related_documents_says_so(
    serve: Serve, index: str, label_file: Path
) -> None:
    answer = serve(index, ServiceConfig(labels=label_file)).get(LABEL)
    assert answer.status_code == 422
    assert "no pairs" in Page(answer.text).words


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"explorer": False}, "labels requires the explorer"),
        ({"evidence": False}, "labels requires the texts"),
        ({"labels": Path("/no/pairs.tsv")}, "Cannot write to /no/pairs.tsv"),
    ],
)
def test_a_label_file_that_cannot_serve_is_an_error_at_the_start(
    serve: Serve, tenants: str, label_file: Path, more: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        serve(tenants, ServiceConfig(**{"labels": label_file, **more}))
