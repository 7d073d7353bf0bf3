"""`es-simhash lab evaluate` as a user calls it."""

import json
import re
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from es_simhash.errors import install_command
from tests.support.made_up_texts import make_text, revise
from tests.support.pages import Page

FAMILIES = 8
TEXTS = {
    **{f"a{n}": make_text(n) for n in range(FAMILIES)},
    **{f"b{n}": revise(make_text(n), n) for n in range(FAMILIES)},
}
PAIRS = [(f"a{n}", f"b{n}", 1) for n in range(FAMILIES)] + [
    (f"a{n}", f"b{(n + step) % FAMILIES}", 0) for n in range(FAMILIES) for step in (1, 3)
]

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file of rows into the working directory, and return its name."""
    monkeypatch.chdir(tmp_path)

    def rows(name: str, rows: Sequence[Sequence[object]], between: str = "\t") -> str:
        (tmp_path / name).write_text(
            "".join(f"{between.join(map(str, row))}\n" for row in rows), "utf-8"
        )
        return name

    documents = [{"id": id, "text": text} for id, text in TEXTS.items()]
    (tmp_path / "texts.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in documents))
    return rows


def evaluated(run: Any, *arguments: str) -> dict[str, Any]:
    done = run("lab", "evaluate", *arguments, "--format", "json", "--quiet")
    assert (done.status, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.parametrize(
    ("name", "between", "head"),
    [
        ("pairs.tsv", "\t", []),
        ("pairs.csv", ",", [("id1", "id2", "label")]),
        ("pairs", "\t", [("one", "other", "label")]),
        ("commas", ",", []),
    ],
)
def test_versions_are_told_from_others(
    run: Any, write: Write, name: str, between: str, head: list[tuple[str, ...]]
) -> None:
    found = evaluated(run, write(name, [*head, *PAIRS], between), "--texts", "texts.jsonl")
    (each,) = found["sets"]
    assert (each["documents"], each["labelled_pairs"], each["versions"]) == (16, 24, 8)
    (figures,) = each["methods"]
    assert figures["method"] == "es-simhash"
    assert figures["held_out"]["f1"] == figures["held_out"]["ari"] == 1.0
    assert figures["candidate_recall"] == figures["found_recall"] == 1.0
    assert figures["intervals"]["f1"] == [1.0, 1.0]
    assert each["wrong"] == []


def test_jsonl_is_read_as_objects_and_as_lists(run: Any, write: Write, tmp_path: Path) -> None:
    lines = [json.dumps({"id1": a, "id2": b, "label": bool(label)}) for a, b, label in PAIRS[::2]]
    lines += [json.dumps(pair) for pair in PAIRS[1::2]]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines))
    found = evaluated(run, "pairs.jsonl", "--texts", "texts.jsonl")
    assert found["sets"][0]["labelled_pairs"] == len(PAIRS)


def test_lines_of_jsonl_that_are_no_pairs_are_reported(
    run: Any, write: Write, tmp_path: Path
) -> None:
    wrong = ["{", "7", "[" * 100_000, '{"id1": true, "id2": "b0", "label": 1}', '{"id1": "a0"}']
    # A line separator of Unicode does not end a line.
    unknown = json.dumps(["a\u2028b", "b0", 1], ensure_ascii=False)
    lines = [json.dumps(pair) for pair in PAIRS] + [*wrong, unknown]
    (tmp_path / "pairs.jsonl").write_text("\r\n".join(lines), "utf-8", newline="")
    done = run("lab", "evaluate", "pairs.jsonl", "--texts", "texts.jsonl", "--quiet")
    assert done.status == 1
    sentences = done.err.splitlines()
    assert len(sentences) == 6
    for number, sentence in enumerate(sentences, len(PAIRS) + 1):
        assert f"line {number}:" in sentence
    assert f"{len(PAIRS)} labelled pairs" in done.out


def test_wrong_pairs_come_with_evidence_and_what_other_methods_say(run: Any, write: Write) -> None:
    # The label of the first pair is wrong on purpose.
    pairs = [("a0", "b0", 0), *PAIRS[1:]]
    found = evaluated(
        run, write("pairs.tsv", pairs), "--texts", "texts.jsonl",
        "--method", "es-simhash", "--method", "jaccard-words-3", "--wrong", "1",
    )  # fmt: skip
    (each,) = found["sets"]
    assert each["wrong_total"] == 1
    (wrong,) = each["wrong"]
    assert (wrong["first"], wrong["second"], wrong["label"]) == ("a0", "b0", False)
    assert wrong["score"] >= 0.6
    assert wrong["kind"] == "version"
    assert wrong["is_candidate"]
    assert wrong["scores"]["jaccard-words-3"] > 0.5
    one, other = wrong["passages"][0]
    assert set(one.split()) & set(other.split())


def half(start: int) -> list[tuple[str, str, int]]:
    """Pairs of every second family, so that two halves share no document."""
    numbers = range(start, FAMILIES, 2)
    return [(f"a{n}", f"b{n}", 1) for n in numbers] + [
        (f"a{n}", f"b{(n + 2) % FAMILIES}", 0) for n in numbers
    ]


def test_several_files_take_the_cut_from_each_other(run: Any, write: Write, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    names = [write("pairs.tsv", half(0)), write("x/pairs.tsv", half(1))]
    found = evaluated(run, *names, "--texts", "texts.jsonl", "--plots", "plots")
    assert [each["pairs"] for each in found["sets"]] == names
    for each in found["sets"]:
        assert "other files" in each["cut_rule"]
        low, high = each["methods"][0]["held_out"]["cuts"]
        assert low == high
    # Files of one name in two folders have plots of their own.
    assert len(list((tmp_path / "plots").iterdir())) == 12


def test_files_with_a_pair_in_common_are_rejected(run: Any, write: Write) -> None:
    names = [write("one.tsv", half(0)), write("two.tsv", [*half(1), ("b0", "a0", 1)])]
    sentence = run("lab", "evaluate", *names, "--texts", "texts.jsonl").refusal()
    for word in ("'one.tsv'", "'two.tsv'", "share 1 pair", "'a0' and 'b0'"):
        assert word in sentence


def test_files_with_a_document_in_common_are_reported(run: Any, write: Write) -> None:
    names = [write("one.tsv", half(0)), write("two.tsv", [*half(1), ("a0", "b1", 0)])]
    done = run("lab", "evaluate", *names, "--texts", "texts.jsonl", "--quiet")
    # Nothing was left out.
    assert done.status == 0
    assert done.err.count("\n") == 1
    assert "share 1 document, such as 'a0'" in done.err


def test_every_output_has_the_same_figures(
    run: Any, write: Write, tmp_path: Path, require_accessible: Any
) -> None:
    arguments = (
        "lab", "evaluate", write("pairs.tsv", [("a0", "b0", 0), *PAIRS[1:]]), "--quiet",
        "--texts", "texts.jsonl", "--method", "es-simhash", "--method", "bag-of-words",
    )  # fmt: skip
    data = json.loads(run(*arguments, "--format", "json").out)["sets"][0]["methods"]
    table = run(*arguments, "--plots", "plots").out
    text = run(*arguments, "--format", "markdown").out
    # The name of the file says the format.
    assert run(*arguments, "--output", "page.html").out == ""
    page = (tmp_path / "page.html").read_text("utf-8")
    Page(page).require_harmless()
    require_accessible(page)
    # Three plots, and a line for each name below them.
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg"') == 3
    assert page.count("<svg") == 3 + len(data)
    # The sentence that a person needs comes first, then the plots, then the tables.
    words = Page(page).words
    assert re.search(
        r"labelled pairs of \d+ documents.*?Take .*?true positive.*?At held-out", words
    )
    assert "(precision)" in table
    assert "(precision)" in text
    # A wrong pair has both texts, with what differs marked.
    wrong = page[page.index("gets wrong") :]
    assert set(make_text(0).split()[:5]) <= set(Page(wrong).words.split())
    assert "<del>" in wrong
    assert "<ins>" in wrong
    assert len(set(re.findall(r' id="([^"]+)"', page))) == page.count(' id="')
    for figures in data:
        for name in ("f1", "precision", "ari", "roc_area"):
            shown = f"{figures['held_out'][name]:.3f}"
            assert shown in table
            assert shown in text
            assert shown in page
    # Sentences are wrapped by the terminal.
    assert max(map(len, table.splitlines()[5:25])) <= 80
    for column in ("F1 of found", "ROC cut", "bytes/document", "families (ARI)"):
        assert column in table
    assert "Take es-simhash with a cut of" in table or "Take bag-of-words with a cut" in table


def test_plots_are_svg_and_png_and_the_same_in_every_run(
    run: Any, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (
        "lab", "evaluate", write("pairs.tsv", PAIRS), "--texts", "texts.jsonl", "--quiet",
        "--method", "es-simhash", "--method", "bag-of-words",
    )  # fmt: skip
    names = ["pairs-f1", "pairs-precision-recall", "pairs-roc"]
    for folder in ("plots", "again"):
        assert run(*arguments, "--plots", folder).status == 0
        files = sorted(path.name for path in (tmp_path / folder).iterdir())
        assert files == sorted(f"{name}.{end}" for name in names for end in ("png", "svg"))
    for name in names:
        svg, png = ((tmp_path / "plots" / f"{name}.{end}").read_bytes() for end in ("svg", "png"))
        assert svg == (tmp_path / "again" / f"{name}.svg").read_bytes()
        assert png == (tmp_path / "again" / f"{name}.png").read_bytes()
        root = ElementTree.fromstring(svg)
        words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
        assert {"es-simhash", "bag-of-words"} <= set(words)
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        # Width and height, at the beginning of the first chunk.
        assert struct.unpack(">II", png[16:24]) == (1440, 960)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run(*arguments, "--plots", "never")
    assert install_command("plots") in done.refusal()
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([*PAIRS, ("a0", "zz", 1)], ["line 25", "'zz'", "texts.jsonl"]),
        ([*PAIRS, ("a0", "b0", 0)], ["line 25", "'a0', 'b0'", "line 1"]),
        ([*PAIRS, ("b0", "a0", "no")], ["line 25", "has label 0, but 1"]),
        ([*PAIRS, ("a0", "a2", "perhaps")], ["line 25", "'perhaps'", "1 for versions"]),
        ([*PAIRS, ("a0", "a0", 1)], ["line 25", "'a0'", "itself"]),
        ([*PAIRS, ("a0", "a2")], ["line 25", "2 columns", "tabs"]),
        ([*PAIRS, ("a0,a2,1",)], ["line 25", "1 columns", ".csv"]),
        ([*PAIRS, ("", "a2", 1)], ["line 25", "id is missing"]),
    ],
)
def test_a_wrong_line_is_one_sentence_and_the_rest_goes_on(
    run: Any, write: Write, rows: list[Any], words: list[str]
) -> None:
    done = run("lab", "evaluate", write("pairs.tsv", rows), "--texts", "texts.jsonl", "--quiet")
    assert done.status == 1
    assert done.err.count("\n") == 1
    for word in words:
        assert word in done.err
    left = 23 if "'a0', 'b0'" in done.err else 24
    assert f"{left} labelled pairs" in done.out


@pytest.mark.parametrize(
    ("name", "rows", "words"),
    [
        ("p.tsv", [(f"{a},{b},{c}",) for a, b, c in PAIRS], ["line 1", "tabs", ".csv"]),
        ("p.csv", [f"{a}\t{b}\t{c}" for a, b, c in PAIRS], ["line 1", "commas", ".tsv"]),
        ("p.jsonl", PAIRS, ["line 1", "JSON"]),
        ("p.csv", ["x" * 140_000], ["line 1", "CSV"]),
        ("p.tsv", PAIRS[:FAMILIES], ["only pairs labelled 1 (8)", "labelled 0"]),
        ("p.tsv", PAIRS[FAMILIES:], ["only pairs labelled 0 (16)", "labelled 1"]),
        ("p.tsv", [("x", "y", 1), ("x", "z", 0)], ["No pair", "texts.jsonl"]),
        ("p.tsv", [], ["empty"]),
    ],
)
def test_a_file_without_use_is_one_sentence(
    run: Any, write: Write, name: str, rows: list[Any], words: list[str]
) -> None:
    given = [(row,) if isinstance(row, str) else row for row in rows]
    sentence = run("lab", "evaluate", write(name, given), "--texts", "texts.jsonl").refusal()
    for word in words:
        assert word in sentence


def test_wrong_arguments_are_one_sentence(run: Any, write: Write, tmp_path: Path) -> None:
    pairs = write("pairs.tsv", PAIRS)
    assert "--texts or --index" in run("lab", "evaluate", pairs).wrong_usage()
    both = run("lab", "evaluate", pairs, "--texts", "t", "--index", "i")
    assert "--texts or --index" in both.wrong_usage()
    unknown = run(
        "lab", "evaluate", pairs, "--texts", "texts.jsonl", "--method", "simhsh"
    ).refusal()
    assert "'simhsh'" in unknown
    assert "es-simhash" in unknown
    assert "absent.tsv" in run("lab", "evaluate", "absent.tsv", "--texts", "texts.jsonl").refusal()
    assert "absent.jsonl" in run("lab", "evaluate", pairs, "--texts", "absent.jsonl").refusal()
    (tmp_path / "broken.jsonl").write_text('{"id": "a0"}\n')
    assert "line 1" in run("lab", "evaluate", pairs, "--texts", "broken.jsonl").refusal()


def test_texts_that_cannot_be_read_are_reported_by_line(
    run: Any, write: Write, tmp_path: Path
) -> None:
    lines = (tmp_path / "texts.jsonl").read_text().splitlines()
    more = ["{", '{"id": "a0", "text": "another"}', '{"text": "no id"}', '{"id": "x", "text": 1}']
    (tmp_path / "more.jsonl").write_text("\n".join([*lines, *more]))
    pairs = write("pairs.tsv", PAIRS)
    done = run("lab", "evaluate", pairs, "--texts", "more.jsonl", "--quiet")
    assert done.status == 1
    sentences = done.err.splitlines()
    assert len(sentences) == 4
    for number, sentence in enumerate(sentences, len(lines) + 1):
        assert f"line {number}" in sentence
    assert "'a0' has another text" in done.err
    assert "24 labelled pairs" in done.out


@pytest.mark.cluster
def test_texts_of_an_index_are_read_by_its_text_field(
    call: Any, client: Any, index_name: str, write: Write
) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    install(client, index_name, semantics=None)
    documents = [{"id": id, "text": text} for id, text in TEXTS.items() if id != "a7"]
    assert all(outcome.ok for outcome in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    pairs = write("pairs.tsv", PAIRS)
    done = call("lab", "evaluate", pairs, "--index", index_name, "--quiet", "--format", "json")
    # a7 is in three pairs.
    assert done.status == 1
    assert done.err.count("document 'a7' is not in index") == 3
    (each,) = json.loads(done.out)["sets"]
    assert each["labelled_pairs"] == len(PAIRS) - 3
    assert each["methods"][0]["held_out"]["f1"] == 1.0
    field = call("lab", "evaluate", pairs, "--index", index_name, "--text-field", "body").refusal()
    assert "'body'" in field
    assert "--text-field" in field
    absent = call("lab", "evaluate", pairs, "--index", f"{index_name}-absent").refusal()
    assert "absent" in absent


@pytest.mark.cluster
def test_texts_behind_a_sidecar_are_those_of_the_first_index(
    call: Any, client: Any, index_name: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Several requests, the last with one document.
    monkeypatch.setattr("es_simhash.lab.evaluation.pair_texts._BATCH", 5)
    for id, text in TEXTS.items():
        client.index(index=index_name, id=id, document={"body": text}, refresh=True)
    sidecar = f"{index_name}-sidecar"
    done = call("backfill", index_name, "--sidecar", sidecar, "--text-field", "body", "--quiet")
    assert done.status == 0, done
    found = call(
        "lab", "evaluate", write("pairs.tsv", PAIRS), "--index", sidecar, "--text-field", "body",
        "--quiet", "--format", "json",
    )  # fmt: skip
    assert (found.status, found.err) == (0, "")
    assert json.loads(found.out)["sets"][0]["documents"] == len(TEXTS)


def test_a_language_that_a_method_cannot_read_is_one_sentence(
    run: Any, write: Write, tmp_path: Path
) -> None:
    thai = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์เช่นเดียวกับภาษาจีน"
    english = "The harbour of the town is here, and the ferry to the island leaves at noon."
    texts = {"t1": thai, "t2": thai, "e1": english, "e2": english, "none": "?"}
    lines = [json.dumps({"id": id, "text": text}) for id, text in texts.items()]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    pairs = write(
        "pairs.tsv", [("t1", "t2", 1), ("e1", "e2", 1), ("t1", "e1", 0), ("e1", "none", 0)]
    )
    done = run(
        "lab", "evaluate", pairs, "--texts", "texts.jsonl", "--method", "weighted-simhash",
        "--method", "es-simhash", "--quiet", "--format", "json",
    )  # fmt: skip
    assert done.status == 1
    assert done.err.count("\n") == 1
    for word in ("'weighted-simhash'", "2 documents", "'th'", "en and zh", "'t1'"):
        assert word in done.err
    weighted, own = json.loads(done.out)["sets"][0]["methods"]
    assert set(weighted["unreadable"]) == {"t1", "t2"}
    assert weighted["candidate_recall"] == 0.5
    assert own["candidate_recall"] == 1.0
