"""`es-simhash changes`, `blame` and `compare --changes` as a user calls them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from es_simhash import compare
from tests.cli.test_files import STEERING, is_harmless
from tests.support.made_up_texts import make_text
from tests.support.pages import Page

BASE = make_text(1, 200)
OLDER = f"{BASE}\n\nThe fee is due within 16 days of the invoice, at the office of Mr Miller."
NEWER = OLDER.replace("16", "18")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "a.txt", tmp_path / "b.txt"
    for path, text in zip(paths, (OLDER, NEWER), strict=True):
        path.write_text(text, "utf-8")
    return paths


def test_changes_of_two_files_in_words(run: Any, files: tuple[Path, Path]) -> None:
    for form in ("table", "text"):
        done = run("files", "compare", "--changes", *files, "--format", form)
        assert (done.status, done.err) == (0, "")
        lines = done.out.splitlines()
        coverage = compare(OLDER, NEWER, semantics=None).coverage
        assert lines[1] == f"1 of 2 sections changed; {coverage}"
        assert lines[2].strip() == "number: 16 → 18"
        assert "due within [-16-]{+18+} days" in done.out


def test_changes_of_two_files_as_json_diff_and_page(run: Any, files: tuple[Path, Path]) -> None:
    found = json.loads(run("files", "compare", "--changes", *files, "--format", "json").out)
    assert list(found) == ["summary", "key_changes", "changes", "moves"]
    assert "".join(change["b"]["text"] for change in found["changes"]) == NEWER
    diff = run("files", "compare", "--changes", *files, "--format", "diff").out
    assert [line[0] for line in diff.splitlines()[3:]] == [" ", " ", "-", "\\", "+", "\\"]
    page = run("files", "compare", "--changes", *files, "--format", "html").out
    assert "within <del>16</del> days" in page
    assert "within <ins>18</ins> days" in page


def test_a_page_of_two_files_is_written_beside_the_answer(
    run: Any, files: tuple[Path, Path], tmp_path: Path
) -> None:
    for options in ((), ("--changes",)):
        file = tmp_path / f"page{len(options)}.html"
        plain = run("files", "compare", *files, *options)
        done = run("files", "compare", *files, *options, "--html", file)
        assert done == plain
        page = Page(file.read_text("utf-8"))
        page.require_harmless()
        page.require_linked()
        assert "within 18 days" in page.words
        assert re.search(r"\d+% of A appears in B, \d+% of B appears in A", page.words)


def test_a_page_that_cannot_be_written_is_an_error_before_anything_else(
    run: Any, files: tuple[Path, Path], tmp_path: Path
) -> None:
    error = run("files", "compare", *files, "--html", tmp_path / "no" / "page.html").refusal()
    assert error.endswith("Name another file. Set --html.\n")
    page = tmp_path / "page.html"
    assert run("files", "compare", files[0], tmp_path / "absent.txt", "--html", page).status != 0
    assert not page.exists()


def test_equal_files(run: Any, files: tuple[Path, Path]) -> None:
    done = run("files", "compare", "--changes", files[0], files[0])
    assert done.out.splitlines()[1:] == ["nothing changed"]
    assert run("files", "compare", "--changes", files[0], files[0], "--format", "diff").out == ""


def test_forms_of_changes_need_changes(run: Any, files: tuple[Path, Path]) -> None:
    for form in ("text", "diff", "html"):
        sentence = run("files", "compare", *files, "--format", form).wrong_usage()
        assert f"--format {form} shows changes; add --changes" in sentence


@pytest.mark.parametrize("form", ["table", "text", "json", "html"])
def test_a_text_steers_no_terminal(run: Any, tmp_path: Path, form: str) -> None:
    paths = tmp_path / "a\x1b[31m.txt", tmp_path / "b\x9b2J.txt"
    for number, path in enumerate(paths):
        words = f"<b>The light {STEERING} turns {number}</b> {STEERING} when boats wait."
        path.write_text(words, "utf-8")
    done = run("files", "compare", "--changes", *paths, "--format", form)
    assert done.status == 0
    assert is_harmless(done.out), ascii(done.out)


def test_an_inserted_clause_is_whole_and_its_numbers_are_listed(run: Any, tmp_path: Path) -> None:
    clauses = [f"{n}. {make_text(n, 25)}" for n in range(1, 5)]
    clause = f"The deposit of 2,700 euros is due. {make_text(9, 150)} It ends on 30 June 2025."
    (tmp_path / "a").write_text("\n\n".join(clauses), "utf-8")
    (tmp_path / "b").write_text("\n\n".join([*clauses[:2], clause, *clauses[2:]]), "utf-8")
    done = run("files", "compare", "--changes", tmp_path / "a", tmp_path / "b")
    assert len(clause) > 900
    assert clause in done.out
    assert "\n  number: (none) → 2,700\n" in done.out
    assert "\n  date: (none) → 30 June 2025\n" in done.out


@pytest.mark.long
def test_many_changes_are_cut_and_it_is_said(run: Any, tmp_path: Path) -> None:
    words = make_text(5, 20_000).split()
    changed = [f"changed{n}" if n % 60 == 0 else word for n, word in enumerate(words)]
    (tmp_path / "a").write_text(" ".join(words), "utf-8")
    (tmp_path / "b").write_text(" ".join(changed), "utf-8")
    done = run("files", "compare", "--changes", tmp_path / "a", tmp_path / "b")
    assert done.out.count("\nline ") == 200
    assert "more changes; --format json and html have all" in done.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["a"], "Give two ids, or --family; got 1 id."),
        (["a", "b", "c"], "got 3 ids"),
        ([], "got 0 ids"),
        (["a", "b", "--family", "c"], "give no ids with it"),
        (["a", "b", "--date-field", "c"], "--date-field orders the versions of --family"),
        (["--family", "c", "--format", "html"], "--family has no --format html"),
        (["--family", "c", "--format", "diff"], "--family has no --format diff"),
    ],
)
def test_wrong_usage_is_told(run: Any, arguments: list[str], expected: str) -> None:
    assert expected in run("changes", "index", *arguments).wrong_usage()


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    """An index with three versions, whose ids are as bad as ids may be, and a stranger."""
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.store.installation.install import install

    client.indices.create(
        index=index_name, mappings={"properties": {"published": {"type": "date"}}}
    )
    install(client, index_name, semantics=None)
    documents = [
        {"id": "-a", "text": OLDER, "published": "2020-01-01"},
        {"id": "b/ \x1b[31m<i>", "text": NEWER, "published": "2021-01-01"},
        {"id": "c", "text": f"{NEWER}\n\nNobody may sublet it.", "published": "2022-01-01"},
        {"id": "stranger", "text": make_text(2, 200), "published": "2020-01-01"},
    ]
    assert all(outcome.ok for outcome in ingest(client, index_name, documents))
    find_families(client, index_name)
    client.indices.refresh(index=index_name)
    return index_name


@pytest.mark.cluster
def test_ids_of_any_kind(run: Any, cluster_url: str, index: str) -> None:
    odd = "b/ \x1b[31m<i>"
    done = run("changes", "--url", cluster_url, index, "--", "-a", odd)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("-a → b/ \\x1b[31m<i>\n1 of 2 sections changed")
    assert "number: 16 → 18" in done.out
    page = run("changes", "--url", cluster_url, index, "--format", "html", "--", "-a", odd).out
    assert "<title>-a → b/ \\x1b[31m&lt;i&gt;</title>" in page
    diff = run("changes", "--url", cluster_url, index, "--format", "diff", "--", odd, "c").out
    assert diff.startswith('--- "a/b/ \\033[31m<i>"\n')
    done = run("changes", "--url", cluster_url, index, "--family=-a", "--format", "json")
    assert [step["newer"] for step in json.loads(done.out)["steps"]] == [odd, "c"]


@pytest.mark.cluster
def test_a_page_has_the_timeline_of_the_family(call: Any, index: str) -> None:
    odd = "b/ \x1b[31m<i>"
    by_date = ("--date-field", "published")
    page = call("changes", index, odd, "c", "--format", "html", *by_date).out
    Page(page).require_harmless()
    words = Page(page).words
    assert "3 versions by published" in words
    assert "Older: -a → b" in words
    assert "Newer:" not in words
    rows = re.findall("<tr><td>(.*?)</td><td>(.*?)</td></tr>", page)
    assert [(date, Page(name).text) for date, name in rows] == [
        ("2022-01-01", "c B"),
        ("2021-01-01", "b/ \\x1b[31m<i> A"),
        ("2020-01-01", "-a"),
    ]
    # Neither without a date field, nor of documents of two families.
    for arguments in ((odd, "c"), ("c", "stranger", *by_date)):
        page = call("changes", index, *arguments, "--format", "html").out
        assert "Versions of this document" not in page
    refused = call("changes", index, odd, "c", "--format", "html", "--date-field", "text")
    assert "text" in refused.refusal()


@pytest.mark.cluster
def test_documents_without_anything_in_common(call: Any, index: str) -> None:
    out = call("changes", index, "c", "stranger").out
    assert "nothing in common: the older text was replaced as a whole" in out


@pytest.mark.cluster
def test_a_missing_document_is_refused(call: Any, index: str) -> None:
    assert "Document 'no/such' is not in index" in call("changes", index, "c", "no/such").refusal()
    assert "no document and no family 'x'" in call("changes", index, "--family", "x").refusal()
    assert "no document and no family 'x'" in call("blame", index, "x").refusal()
    assert "no-such-index" in call("changes", "no-such-index", "a", "b").refusal()


@pytest.mark.cluster
def test_the_history_of_a_family(call: Any, index: str) -> None:
    out = call("changes", index, "--family", "c", "--date-field", "published").out
    lines = out.splitlines()
    assert lines[0] == "3 versions by published"
    assert lines[1] == "2020-01-01 -a"
    assert lines[2].startswith("2021-01-01 b/")
    share = r"\d+% of A appears in B, \d+% of B appears in A"
    assert re.fullmatch(f"  1 of 2 sections changed; {share}", lines[3])
    assert lines[4:6] == ["    number: 16 → 18", "2022-01-01 c"]
    assert re.fullmatch(f"  0 of 3 sections changed, 1 new; {share}", lines[6])
    assert len(lines) == 7
    out = call("changes", index, "--family", "c").out
    assert out.startswith("3 versions in the order of their ids, as no date field is set\n")
    found = json.loads(
        call("changes", index, "--family", "c", "--format", "json", "--date-field", "published").out
    )
    assert list(found) == ["family", "date_field", "undated", "versions", "steps"]
    assert found["versions"][2] == {"id": "c", "date": "2022-01-01"}
    assert list(found["steps"][0]) == [
        "older", "newer", "summary", "key_changes", "changes", "moves",
    ]  # fmt: skip


@pytest.mark.cluster
def test_blame_in_words_and_as_json(call: Any, index: str) -> None:
    done = call("blame", index, "c", "--date-field", "published", "--words", "the FEE is due")
    assert done.status == 0
    out = " ".join(done.out.split())
    assert out.startswith("2022-01-01 c: 3 versions by published")
    assert "2021-01-01 b/ \\x1b[31m<i>" in out
    assert is_harmless(done.out)
    done = call("blame", index, "c", "--date-field", "published", "--format", "json")
    found = json.loads(done.out)
    assert list(found) == [
        "family", "date_field", "undated", "version", "versions", "sentences",
    ]  # fmt: skip
    last = found["sentences"][-1]
    assert last["sentence"]["text"] == "Nobody may sublet it."
    assert last["since"] == last["first"] == {"id": "c", "date": "2022-01-01"}
    assert found["sentences"][-2]["since"]["date"] == "2021-01-01"
    assert found["sentences"][-2]["first"]["date"] == "2020-01-01"


@pytest.mark.cluster
def test_blame_of_words_that_are_not_there_is_refused(call: Any, index: str) -> None:
    for words in ("no such words", " "):
        sentence = call("blame", index, "c", "--words", words).refusal()
        assert "No sentence of document 'c' has the words" in sentence
