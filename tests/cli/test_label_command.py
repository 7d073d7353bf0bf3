"""`es-simhash lab label` as a user calls it with answers from a pipe."""

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash.lab.evaluation.labelled_pairs import read_pairs
from es_simhash.store.installation.install import install

pytestmark = pytest.mark.cluster

Label = Callable[..., Any]
SCORE = re.compile(r"^es-simhash: (.*), score (\d\.\d\d)$", re.MULTILINE)
SIDES = re.compile(r"^left:  (\S+).*\nright: (\S+)", re.MULTILINE)


@pytest.fixture
def label(call: Any, labelled_index: str, monkeypatch: pytest.MonkeyPatch) -> Label:
    """Label pairs of the index with these answers, one a line."""

    def answer(answers: str, *options: object, index: str = labelled_index) -> Any:
        piped = io.TextIOWrapper(io.BytesIO("".join(f"{each}\n" for each in answers).encode()))
        monkeypatch.setattr(sys, "stdin", piped)
        return call("lab", "label", index, "--labels", "pairs.tsv", *options)

    return answer


def offered(out: str) -> list[tuple[str, str]]:
    """Return the two ids of each pair, in the order in which they were offered."""
    return SIDES.findall(out)


def labels() -> dict[tuple[str, str], bool]:
    return read_pairs(Path("pairs.tsv")).labels


def test_unsure_pairs_come_first_and_the_order_is_that_of_the_seed(label: Label) -> None:
    done = label("s" * 100, "--show-scores")
    assert done.status == 0, done
    scores = [float(score) for _, score in SCORE.findall(done.out)]
    above = [score for score in scores if 0.6 <= score < 0.8]
    below = [score for score in scores if 0.4 <= score < 0.6]
    assert above == sorted(above)
    assert below == sorted(below, reverse=True)
    # One of each range before the second of any.
    assert {0.6 <= scores[0] < 0.8, scores[1] >= 0.8, 0.4 <= scores[2] < 0.6} == {True}
    assert scores[3] < 0.4
    pairs = offered(done.out)
    assert len(pairs) == len(scores) == len({frozenset(pair) for pair in pairs})
    # The older document is on the left, and texts of their own are offered as well.
    assert ("old4", "new4") in pairs
    assert any("other" in "".join(pair) for pair in pairs)
    assert label("s" * 100, "--show-scores").out == done.out
    assert not Path("pairs.tsv").exists()
    other = offered(label("s" * 100, "--seed", 7).out)
    assert other != pairs


def test_labels_are_written_and_read_by_evaluate(
    label: Label, call: Any, labelled_index: str
) -> None:
    first = label("vn")
    (one, other) = offered(first.out)[:2]
    assert labels() == {pair(one): True, pair(other): False}
    # The judgement of the project comes after the answer.
    assert "score" not in first.out.partition("Versions?")[0]
    assert len(SCORE.findall(first.out)) == 2
    left = int(first.out.splitlines()[-2].split(";")[1].split()[0])
    assert first.out.splitlines()[-2:] == [
        f"Labelled 2 pairs (1 version, 1 other); {left} are left.",
        f"Next: es-simhash lab evaluate pairs.tsv --index {labelled_index}",
    ]
    again = label("vns")
    assert not {pair(each) for each in offered(again.out)} & {pair(one), pair(other)}
    assert len(labels()) == 4
    assert f"; {left - 2} are left." in again.out
    done = call("lab", "evaluate", "pairs.tsv", "--index", labelled_index, "--quiet")
    assert (done.status, done.err) == (0, "")
    assert "4 labelled pairs" in done.out


def pair(ids: tuple[str, str]) -> tuple[str, str]:
    one, other = sorted(ids)
    return one, other


def test_undo_takes_back_labels_and_skips(label: Label) -> None:
    done = label("uvsnuuuv")
    assert "Nothing to undo" in done.out
    pairs = offered(done.out)
    first, second, third, fourth = pairs[:4]
    assert len({first, second, third, fourth}) == 4
    assert pairs[4:] == [third, second, first, second]
    assert labels() == {pair(first): True}
    assert "Labelled 1 pair (1 version, 0 others)" in done.out
    assert done.out.endswith("To evaluate, label pairs that are not versions as well.\n")


def test_a_pair_of_the_file_in_the_other_order_is_not_offered_again(label: Label) -> None:
    one, other = offered(label("s").out)[0]
    Path("pairs.tsv").write_text(f"{max(one, other)}\t{min(one, other)}\tno\n", "utf-8")
    assert pair((one, other)) not in {pair(each) for each in offered(label("s" * 100).out)}


def test_an_unknown_answer_says_which_there_are(label: Label) -> None:
    done = label(["vv", "", "\x1b[31m", "V", "Q", "n"])  # type: ignore[arg-type]
    assert done.out.count("Use v, n, s, u, m, q.") == 3
    assert "\x1b" not in done.out
    assert list(labels().values()) == [True]


def test_all_pairs_can_be_labelled_and_the_last_one_undone(label: Label) -> None:
    total = len(offered(label("s" * 100).out))
    done = label("v" * total + "un" + "q")
    assert done.out.count("That was the last pair") == 2
    assert list(labels().values()) == [True] * (total - 1) + [False]
    done = label("v")
    assert f"All {total} pairs of this sample are labelled. Use another --seed" in done.out
    assert "Labelled 0 pairs (0 versions, 0 others); 0 are left." in done.out


def test_more_shows_the_rest_of_the_texts(label: Label) -> None:
    done = label("msq")
    first, second = done.out.split("Versions? ")[1:3]
    assert "m shows more" in done.out.split("Versions? ")[0]
    assert len(first.splitlines()) > 24
    assert "m shows more" not in first
    assert second.splitlines()[0].endswith(": s")


def test_documents_steer_no_terminal_and_no_id_is_cut(label: Label) -> None:
    done = label("s" * 100, "--sample", 100)
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
    assert r"old4  2023-02-01  Colour \x1b[31mred\x07" in done.out
    assert r"\x1b[2J" in done.out


def test_ids_that_the_file_cannot_hold_are_left_out_and_named(label: Label, call: Any) -> None:
    done = label("s" * 100)
    (line,) = done.err.splitlines()
    assert re.search(r"pairs left out, whose ids TSV cannot hold, such as .*'tab\\tone'", line)
    assert line.endswith("Name a file that ends in .jsonl.")
    assert "tab\\tone" not in done.out


def test_jsonl_holds_every_id(
    label: Label, labelled_index: str, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"v\n" * 100)))
    done = call("lab", "label", labelled_index, "--labels", "pairs.jsonl")
    assert (done.status, done.err) == (0, "")
    assert r"tab\tone" in done.out
    assert pair(("tab two", "tab\tone")) in read_pairs(Path("pairs.jsonl")).labels


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--labels", "no/pairs.tsv"), "Cannot write to no/pairs.tsv (No such file or directory)."),
        (
            ("--labels", "pairs.csv"),
            "'pairs.csv', line 1: expected id, id and label separated by commas",
        ),
        (
            ("--labels", "twice.tsv"),
            "'twice.tsv', line 2: pair 'a', 'b' has label 0, but 1 on line 1",
        ),
        (("--labels", "new.tsv", "--text-field", "absent"), "absent"),
    ],
)
def test_bad_input_is_one_sentence(
    label: Label, call: Any, labelled_index: str, options: tuple[str, ...], sentence: str
) -> None:
    Path("pairs.csv").write_text("a\tb\t1\n", "utf-8")
    Path("twice.tsv").write_text("a\tb\t1\nb\ta\t0\n", "utf-8")
    label("q")
    assert sentence in call("lab", "label", labelled_index, *options).refusal()
    assert not Path("new.tsv").exists()


def test_indices_without_pairs_are_refused(label: Label, client: Any, index_name: str) -> None:
    assert "does not exist" in label("v", index=index_name).refusal()
    client.indices.create(index=index_name)
    assert "es-simhash install" in label("v", index=index_name).refusal()
    client.indices.delete(index=index_name)
    install(client, index_name)
    assert "has no documents. Ingest some." in label("v", index=index_name).refusal()
    client.index(index=index_name, id="1", document={"text": "words"}, refresh=True)
    assert f"Run `es-simhash backfill {index_name}`." in label("v", index=index_name).refusal()
    assert not Path("pairs.tsv").exists()


def test_unrelated_documents_are_refused(label: Label, desk: Any, make_text: Any) -> None:
    desk.put([{"_id": str(n), "text": make_text(n)} for n in range(3)])
    sentence = label("v", index=desk.name).refusal()
    assert "None of 3 documents" in sentence
    assert sentence.endswith("Use a larger sample. Set --sample.\n")


def test_an_index_without_semantics_has_pairs_of_both_labels(
    label: Label, desk: Any, make_text: Any, revise: Any
) -> None:
    text = make_text(1)
    desk.put(
        [
            {"_id": "a", "text": text},
            {"_id": "b", "text": revise(text, 3)},
            {"_id": "c", "text": make_text(2)},
        ]
    )
    found = label("s" * 9, "--show-scores", index=desk.name)
    assert {kind for kind, _ in SCORE.findall(found.out)} == {"version", "no relation"}


def test_documents_without_a_text_are_left_out_and_named(
    label: Label, desk: Any, client: Any, make_text: Any, revise: Any
) -> None:
    text = make_text(1)
    desk.put([{"_id": "a", "text": text}, {"_id": "b", "text": revise(text, 3)}])
    source = client.get(index=desk.name, id="a")["_source"]
    client.index(
        index=desk.name,
        id="bare",
        document={name: value for name, value in source.items() if name != "text"},
        refresh=True,
    )
    done = label("v", index=desk.name)
    assert "1 of 3 documents left out, which cannot be read: bare." in done.err
    assert pair(("a", "b")) in labels()


def test_pairs_that_were_dismissed_are_offered(
    label: Label, call: Any, desk: Any, make_text: Any, revise: Any
) -> None:
    text = make_text(1)
    desk.put([{"_id": "a", "text": text}, {"_id": "b", "text": revise(text, 3)}])
    assert call("families", "dismiss", desk.name, "a", "b").status == 0
    assert offered(label("v", index=desk.name).out) == [("a", "b")]


def test_a_document_that_is_deleted_meanwhile_is_left_out(
    label: Label, call: Any, desk: Any, make_text: Any, revise: Any, monkeypatch: Any
) -> None:
    for name in "ab":
        text = make_text(ord(name))
        desk.put([{"_id": f"{name}1", "text": text}, {"_id": f"{name}2", "text": revise(text, 3)}])
    one, other = offered(label("ss", "--show-scores", index=desk.name).out)[:2]

    class Deleting(io.BytesIO):
        """Deletes a document of the second pair while the first one is labelled."""

        def readline(self, size: int | None = -1, /) -> bytes:
            deleting = desk.client.options(ignore_status=404)
            deleting.delete(index=desk.name, id=other[0], refresh=True)
            return super().readline(size)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Deleting(b"v\nv\nq\n")))
    done = call("lab", "label", desk.name, "--labels", "pairs.tsv")
    assert done.status == 0, done
    assert f"Left out: Document '{other[0]}' is not in index" in done.err
    assert labels()[pair(one)]
    assert pair(other) not in labels()


def test_a_sidecar_is_labelled_and_evaluated(
    label: Label, call: Any, client: Any, index_name: str, make_text: Any, revise: Any
) -> None:
    text, sidecar = make_text(1), f"{index_name}-near"
    for id, words in {"a": text, "b": revise(text, 3), "c": make_text(2)}.items():
        client.index(index=index_name, id=id, document={"body": words})
    client.indices.refresh(index=index_name)
    try:
        done = call("backfill", index_name, "--sidecar", sidecar, "--text-field", "body", "--quiet")
        assert done.status == 0, done
        client.indices.refresh(index=sidecar)
        done = label("v" + "n" * 9, "--show-scores", index=sidecar)
        assert done.status == 0, done
        (first, *_) = zip(offered(done.out), SCORE.findall(done.out), strict=True)
        assert first[0] == ("a", "b")
        assert first[1][0] == "version"
        done = call("lab", "evaluate", "pairs.tsv", "--index", sidecar, "--quiet")
        assert (done.status, done.err) == (0, "")
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)
