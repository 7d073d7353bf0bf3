"""Methods measured from Python, on pairs and texts in memory."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash import InputError
from es_simhash.evaluation import evaluate
from es_simhash.lab.evaluation.evaluate import Evaluation
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs
from es_simhash.lab.methods.method_scores import method_score
from tests.support.made_up_texts import make_text, revise

TEXTS = {f"a{number}": make_text(number) for number in range(12)}
TEXTS |= {f"b{number}": revise(TEXTS[f"a{number}"], number, 0.05) for number in range(12)}
ROWS = [(f"a{n}", f"b{n}", True) for n in range(12)]
ROWS += [(f"a{n}", f"b{(n + 1) % 12}", False) for n in range(12)]


def without_seconds(value: dict[str, Any]) -> dict[str, Any]:
    for each in value["sets"]:
        for figures in each["methods"]:
            del figures["seconds_reading"], figures["seconds_scoring"]
    return value


def test_it_returns_what_the_command_prints(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    from es_simhash.cli.main import main

    monkeypatch.chdir(tmp_path)
    Path("pairs.tsv").write_text("".join(f"{a}\t{b}\t{label:d}\n" for a, b, label in ROWS))
    Path("texts.jsonl").write_text(
        "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in TEXTS.items())
    )
    monkeypatch.setattr(
        "sys.argv",
        ["es-simhash", "lab", "evaluate", "pairs.tsv", "--texts", "texts.jsonl", "--format", "json",
         "--quiet", "--method", "es-simhash", "--method", "jaccard-words-3"],
    )  # fmt: skip
    main()
    printed = without_seconds(json.loads(capsys.readouterr().out))
    labelled = LabelledPairs.of(ROWS, "pairs.tsv")
    found = evaluate(labelled, TEXTS, methods=["es-simhash", "jaccard-words-3"])
    assert isinstance(found, Evaluation)
    assert without_seconds(found.to_dict()) == {**printed, "problems": []}
    assert found.sets[0].methods[0].held_out["f1"] == 1.0


def test_pairs_without_a_text_are_left_out_and_named() -> None:
    found = evaluate(LabelledPairs.of([*ROWS, ("a1", "zz", True)]), TEXTS)
    assert len(found.problems) == 1
    assert "document 'zz' is not in texts" in found.problems[0]
    assert found.sets[0].to_dict()["labelled_pairs"] == len(ROWS)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "is empty"),
        ([("a", "a", True)], "document 'a' is paired with itself"),
        ([("a", "b", True), ("b", "a", False)], "has label 0, but 1 on line 1"),
        ([("a", "", True), ("a", "b", False)], "an id is missing"),
    ],
)
def test_rows_that_are_wrong_are_an_error(rows: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        LabelledPairs.of(rows)


def test_what_cannot_be_measured_is_an_error() -> None:
    with pytest.raises(InputError, match="Unknown method 'simhsh'"):
        evaluate(LabelledPairs.of(ROWS), TEXTS, methods=["simhsh"])
    with pytest.raises(InputError, match="at least one method"):
        evaluate(LabelledPairs.of(ROWS), TEXTS, methods=[])
    with pytest.raises(InputError, match="at least one set"):
        evaluate([], TEXTS)
    with pytest.raises(InputError, match="share 24 pairs"):
        evaluate([LabelledPairs.of(ROWS, "one"), LabelledPairs.of(ROWS, "two")], TEXTS)


def test_the_score_of_two_texts() -> None:
    # Of four shingles of three words in both, two are shared.
    found = method_score("a b c d e", "a b c d f", "jaccard-words-3")
    assert found.to_dict() == {
        "method": "jaccard-words-3", "score": 0.5, "threshold": 0.5, "version": True,
    }  # fmt: skip
    assert method_score("", "words", "bag-of-words").score == 0
    with pytest.raises(InputError, match="Unknown method"):
        method_score("a", "b", "none")
    with pytest.raises(InputError, match="cannot read text b: it is in an unknown language"):
        method_score("The harbour opens.", "zzgl vrpt kkrq", "weighted-simhash")
