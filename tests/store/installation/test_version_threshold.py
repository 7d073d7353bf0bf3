"""Where versions begin is stored with the index, and everything that compares texts reads it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.errors import InputError
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.relation import VERSION_KINDS
from es_simhash.relation.scoring import version_value
from es_simhash.relation.thresholds import FIRST_SCORING, SCORING, VERSION_SCORE
from es_simhash.relation.version_value import rescaled
from es_simhash.store.config import IndexConfig
from tests.support.made_up_texts import make_text, revise

Shown = Callable[..., dict[str, Any]]
FIRST = make_text(7)
# Values of the two pairs before any threshold, and a threshold between those and the default.
STRICT, LOOSE = 0.85, 0.5


def _value(text: str) -> float:
    return version_value(*TextAnalyser().analyse([FIRST, text]))


@pytest.fixture(scope="module")
def between() -> dict[float, str]:
    """A version of the text that is none with the strict threshold, and the other way round."""
    texts = [revise(FIRST, seed, share / 100) for seed in range(5, 15) for share in range(2, 30)]
    values = {text: _value(text) for text in texts}
    return {
        STRICT: next(text for text in texts if VERSION_SCORE + 0.05 < values[text] < STRICT - 0.05),
        LOOSE: next(text for text in texts if LOOSE + 0.02 < values[text] < VERSION_SCORE - 0.02),
    }


@pytest.fixture
def shown(cluster_url: str) -> Shown:
    """Run a command; return the JSON that it prints."""
    from es_simhash.cli.main import cli

    def call(*arguments: str) -> dict[str, Any]:
        done = CliRunner().invoke(cli, [*arguments, "--format", "json", "--url", cluster_url])
        assert done.exit_code == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return call


def test_the_default_threshold_changes_no_score() -> None:
    values = [0.0, 0.1 + 0.2, 0.6, 0.7000000000000001, 1.0]
    assert [rescaled(value, VERSION_SCORE) for value in values] == values
    assert rescaled(STRICT, STRICT) == pytest.approx(VERSION_SCORE)
    assert rescaled(1.0, STRICT) == pytest.approx(1.0)
    assert rescaled(STRICT / 2, STRICT) == pytest.approx(VERSION_SCORE / 2)
    assert rescaled((1 + STRICT) / 2, STRICT) == pytest.approx((1 + VERSION_SCORE) / 2)


@pytest.fixture
def sidecar(client: Any, swept_index: Any) -> Iterator[str]:
    """Name of a sidecar, deleted after the test."""
    yield f"{swept_index.name}-beside"
    client.indices.delete(index=f"{swept_index.name}-beside", ignore_unavailable=True)


def _relations(index: Any, texts: dict[str, str]) -> list[Any]:
    """Return the relation of the pair in every way an index can be queried for it."""
    from es_simhash import SearchOptions

    ways = [SearchOptions(min_score=0), SearchOptions(min_score=0, evidence=False, passages=False)]
    found = [relation for options in ways for id in "ab" for relation in
             index.related(id=id, options=options)]  # fmt: skip
    for options in ways:
        answer = index.related(text=texts["a"], options=options)
        found += [relation for relation in answer if relation.id == "b"]
    return [*found, index.explain("a", "b"), index.explain("b", "a")]


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("threshold", [STRICT, LOOSE])
def test_whatever_compares_two_documents_reads_the_threshold_of_the_index(
    swept_index: Any, sidecar: str, between: dict[float, str], threshold: float
) -> None:
    from es_simhash import Index, MemoryIndex
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.pairs.document_families import families_in_memory
    from es_simhash.questions.index import open_index
    from es_simhash.store.installation.document_settings import configure

    client, name = swept_index.client, swept_index.name
    texts = {"a": FIRST, "b": between[threshold]}
    is_version = threshold == LOOSE
    score = round(rescaled(_value(texts["b"]), threshold), 4)
    swept_index.put({"id": id, "text": text} for id, text in texts.items())
    assert {relation.kind in VERSION_KINDS for relation in _relations(Index(client, name), texts)} \
        == {not is_version}  # fmt: skip
    assert len(find_families(client, name).families) == (not is_version)
    configure(client, name, {"version_threshold": threshold})
    memory = MemoryIndex(IndexConfig(version_threshold=threshold))
    for id, text in texts.items():
        memory.add(id, text)
    list(backfill(client, name, sidecar=sidecar))
    client.indices.refresh(index=sidecar)
    for index in (Index(client, name), memory, open_index(client, sidecar)):
        relations = _relations(index, texts)
        assert len(relations) == 8
        assert {relation.kind in VERSION_KINDS for relation in relations} == {is_version}
        if is_version:
            assert {relation.score for relation in relations} == {score}
        else:
            assert max(relation.score for relation in relations) < VERSION_SCORE
    # Not only what changed: a run with another threshold processes all documents.
    report = find_families(client, name)
    assert (len(report.families), report.documents) == (is_version, 2)
    assert len(families_in_memory(texts, version_threshold=threshold)) == 2 - is_version
    near = Index(client, name).family("a").near
    assert [(each.id, each.reason) for each in near] == ([] if is_version else [("b", "score")])


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("threshold", [STRICT, LOOSE])
def test_writers_decide_by_the_threshold_of_the_index(
    client: Any,
    swept_index: Any,
    desk: Any,
    between: dict[float, str],
    threshold: float,
) -> None:
    from es_simhash.store.installation.document_settings import configure

    texts = {"a": FIRST, "b": between[threshold]}
    configure(client, swept_index.name, {"version_threshold": threshold})
    assert desk.write([{"id": "a", "text": FIRST}], "flag") == {"a": "written"}
    desk.write([{"id": "b", "text": texts["b"]}], "flag")
    flagged = {"b": "a"} if threshold == LOOSE else {}
    assert swept_index.duplicates() == flagged
    swept_index.store({id: f"{text}\n" for id, text in texts.items()})
    decisions = swept_index.sweep("flag").decisions
    assert sum(decisions.values()) == len(flagged)


@pytest.mark.cluster
def test_evaluate_scores_the_pairs_of_an_index_as_the_index_does(
    client: Any, desk: Any, between: dict[float, str], tmp_path: Path, shown: Shown
) -> None:
    from es_simhash.store.installation.document_settings import configure

    desk.put([{"id": "a", "text": FIRST}, {"id": "b", "text": between[STRICT]},
              {"id": "c", "text": make_text(8)}])  # fmt: skip
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a\tb\t1\na\tc\t0\n")
    recalls = []
    for threshold in (None, STRICT):
        configure(client, desk.name, {"version_threshold": threshold})
        found = shown("lab", "evaluate", str(pairs), "--index", desk.name, "--quiet")
        recalls.append(found["sets"][0]["methods"][0]["at_threshold"]["recall"])
    assert recalls == [1.0, 0.0]


@pytest.mark.cluster
@pytest.mark.parametrize("value", [0, 1, -0.2, 1.5, float("nan"), "much", True])
def test_a_threshold_that_no_score_can_be_compared_with_is_rejected(
    client: Any, desk: Any, value: Any
) -> None:
    from es_simhash import MemoryIndex
    from es_simhash.store.installation.document_settings import configure, document_settings

    refused = pytest.raises(InputError, match=rf"above 0 and below 1, got {value!r}")
    with refused:
        configure(client, desk.name, {"version_threshold": value})
    assert document_settings(client, desk.name).version_threshold is None
    with refused:
        IndexConfig(version_threshold=value)
    with refused:
        MemoryIndex(IndexConfig(version_threshold=value))


@pytest.mark.cluster
def test_the_threshold_is_set_shown_and_removed_on_the_command_line(
    desk: Any, shown: Shown
) -> None:
    at = ("config", desk.name)
    assert shown(*at, "--version-threshold", "0.7")["version_threshold"] == 0.7
    assert shown(*at)["version_threshold"] == 0.7
    assert shown(*at, "--unset", "version-threshold")["version_threshold"] is None


@pytest.mark.long
@pytest.mark.cluster
def test_a_threshold_names_its_score_and_that_of_another_is_reported(
    client: Any, desk: Any, shown: Shown, cluster_url: str
) -> None:
    from es_simhash.cli.main import cli

    def lines(*command: str) -> tuple[str, dict[str, Any]]:
        arguments = [*command, "--format", "json", "--url", cluster_url]
        done = CliRunner().invoke(cli, arguments)
        found = json.loads(done.stdout)
        return done.stderr, found[0] if isinstance(found, list) else found

    desk.put([{"id": "a", "text": FIRST}])
    client.indices.refresh(index=desk.name)
    questions = ("related", desk.name, "--id", "a"), ("status", desk.name), ("doctor", desk.name)
    assert shown("config", desk.name, "--version-threshold", "0.7")["scoring"] == SCORING
    _, answer = lines(*questions[0])
    assert answer["scoring"] == SCORING
    for before in ({"version_threshold": 0.7}, {"version_threshold": 0.7, "scoring": SCORING}):
        # The first of them is what versions stored whose scores had no name.
        _write_settings(client, desk.name, before)
        assert shown("config", desk.name)["scoring"] == FIRST_SCORING
        for command in questions:
            assert "threshold" not in lines(*command)[0]
        assert lines(*questions[1])[1]["other_scoring"] is None
    _write_settings(client, desk.name, {"version_threshold": 0.7, "scoring": "versions-v9"})
    way_out = f"es-simhash config {desk.name} --unset version-threshold"
    said, _ = lines(*questions[0])
    assert "stored for the score versions-v9, and scores are those of" in said
    assert way_out in said
    assert lines(*questions[1])[1]["other_scoring"] == "versions-v9"
    table = CliRunner().invoke(cli, ["status", desk.name, "--no-size", "--url", cluster_url])
    assert "versions-v9" in table.stdout
    assert way_out in table.stdout
    _, examined = lines(*questions[2])
    (problem,) = [each for each in examined["findings"] if "versions-v9" in each["message"]]
    assert way_out in problem["advice"]
    # Any other setting leaves the threshold what it is of, and the way out leads out.
    assert shown("config", desk.name, "--min-score", "0.2")["scoring"] == "versions-v9"
    shown(*way_out.split()[1:])
    assert lines(*questions[0])[0] == ""
    assert shown("config", desk.name)["scoring"] is None


def _write_settings(client: Any, index: str, settings: dict[str, Any]) -> None:
    """Store what an index says of its documents as another version of the product does."""
    meta = client.indices.get_mapping(index=index)[index]["mappings"]["_meta"]
    meta["es_simhash"]["simhash"]["documents"] = settings
    client.indices.put_mapping(index=index, meta=meta)


@pytest.mark.cluster
def test_a_name_of_the_score_is_not_set_by_hand(client: Any, desk: Any) -> None:
    from es_simhash.store.installation.document_settings import configure

    with pytest.raises(InputError, match="'scoring'"):
        configure(client, desk.name, {"scoring": "versions-v1"})


@pytest.mark.cluster
def test_a_sidecar_takes_over_no_threshold_of_another_score(
    client: Any, swept_index: Any, sidecar: str
) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.store.installation.document_settings import document_settings

    swept_index.put([{"id": "a", "text": FIRST}])
    settings = {"version_threshold": 0.7, "min_score": 0.2, "scoring": "versions-v9"}
    _write_settings(client, swept_index.name, settings)
    list(backfill(client, swept_index.name, sidecar=sidecar))
    taken = document_settings(client, sidecar)
    assert (taken.min_score, taken.version_threshold, taken.scoring) == (0.2, None, None)
