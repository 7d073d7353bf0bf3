"""Spark on this machine gives what one process gives; one session for all, as it starts slowly."""

import gzip
import json
import os
import re
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip(
    "pyspark", reason="needs the extra `spark`: make test-spark", exc_type=ImportError
)
pytest.importorskip(
    "pyarrow", reason="needs the extra `spark`: make test-spark", exc_type=ImportError
)

from click.testing import CliRunner

from es_simhash.errors import InputError
from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.scheme_keys import KEY_FILE_VARIABLE
from es_simhash.ingestion.bulk.json_documents import parse_line
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.deduplication.version_policy import DryRunPolicy
from es_simhash.maintenance.families.dismissals_and_joins import dismiss
from es_simhash.pairs.document_families import families_in_memory
from es_simhash.pairs.text_links import candidate_pairs, links_of
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.spark import (
    candidates,
    components,
    decisions,
    engine,
    family_rules,
    fingerprints,
    frames,
    index_frames,
    links,
    texts,
    versions,
)
from es_simhash.spark import (
    families as families_module,
)
from es_simhash.spark.__main__ import main, run
from es_simhash.spark.families import _key
from es_simhash.spark.files import read_documents
from es_simhash.spark.frames import (
    Cluster,
    FamilyRules,
    FrameColumns,
    FrameFamilies,
    OnVersion,
    deduplicate,
    families,
    opened_index,
    version_pairs,
    with_fingerprints,
    with_semantics,
    write_families,
)
from es_simhash.store.config import IndexConfig
from es_simhash.store.encoding import encode
from es_simhash.store.installation.document_settings import configure
from es_simhash.store.installation.install import install
from tests.support.page_blocks import blocks
from tests.support.shelf import Shelf, revised, text
from tests.support.spark_session import SMALL, spark_session

MODULES = (
    decisions,
    families_module,
    family_rules,
    fingerprints,
    index_frames,
    links,
    texts,
    versions,
)
SEEDS = 1200


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session("local[2,4]", SMALL) as session:
        yield session


@pytest.fixture(scope="module")
def collection() -> dict[str, str]:
    """2,000 texts: some with versions, versions of versions and copies, two without words."""
    made = {"empty-1": "", "empty-2": "!!"}
    for seed in range(SEEDS):
        made[f"{seed}-1"] = text(seed, 90)
        if seed % 3 == 0:
            made[f"{seed}-2"] = revised(made[f"{seed}-1"], 10_000 + seed)
        if seed % 6 == 0:
            made[f"{seed}-3"] = revised(made[f"{seed}-2"], 20_000 + seed)
        if seed % 6 == 1:
            made[f"{seed}-copy"] = made[f"{seed}-1"].upper()
    return made


def frame_of(spark: Any, collection: dict[str, str]) -> Any:
    return spark.createDataFrame(list(collection.items()), "id string, text string").repartition(2)


@pytest.fixture(scope="module")
def found(spark: Any, collection: dict[str, str]) -> FrameFamilies:
    return families(frame_of(spark, collection))


def cluster_url_of(shelf: Shelf) -> str:
    (node,) = shelf.client.transport.node_pool.all()
    return str(node.base_url)


def lists_of(found: FrameFamilies) -> list[list[str]]:
    """Return families as one process returns them: the representative first."""
    members: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    for row in found.documents.collect():
        members[row.family].append((not row.representative, row.id))
    return sorted([id for _, id in sorted(family)] for family in members.values())


def local_links(collection: dict[str, str]) -> dict[tuple[str, str], float]:
    analysed = TextAnalyser().stored_parts(collection.values())
    by_hash = {text.content_hash: text for text in analysed if text is not None}
    return links_of(candidate_pairs(by_hash), by_hash, VERSION_SCORE)


def test_families_are_those_of_one_process(
    found: FrameFamilies, collection: dict[str, str]
) -> None:
    assert len(collection) >= 2000
    assert lists_of(found) == families_in_memory(collection)
    assert found.hot.count() == found.left_out.count() == 0


def test_links_and_their_scores_are_those_of_one_process(
    found: FrameFamilies, collection: dict[str, str]
) -> None:
    rows = found.links.collect()
    assert {(row.one, row.other): row.score for row in rows} == local_links(collection)


def test_a_family_is_named_by_its_smallest_hash(
    found: FrameFamilies, collection: dict[str, str]
) -> None:
    analysed = TextAnalyser().stored_parts(collection.values())
    hashes = dict(zip(collection, analysed, strict=True))
    smallest: dict[str, str] = {}
    for row in found.documents.collect():
        if (parts := hashes[row.id]) is not None:
            known = smallest.get(row.family, parts.content_hash)
            smallest[row.family] = min(known, parts.content_hash)
    assert all(content_hash[:16] == name for name, content_hash in smallest.items())


def test_fingerprints_are_those_that_an_index_stores(spark: Any) -> None:
    made = [text(1), "", text(2), "Ünïcode, 東京 2024!"]
    rows = with_fingerprints(frame_of(spark, dict(zip("abcd", made, strict=True)))).collect()
    stored = dict(zip("abcd", encode(made, IndexConfig()).objects, strict=True))
    for row in rows:
        members = row.simhash.asDict()
        assert {name: value for name, value in members.items() if value is not None} == json.loads(
            stored[row.id]
        )


def test_a_scheme_with_a_key_finds_versions_where_the_workers_have_the_key(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "3c" * 32
    (tmp_path / "key").write_text(key, "utf-8")
    monkeypatch.setenv(KEY_FILE_VARIABLE, str(tmp_path / "key"))
    config = IndexConfig(scheme=chosen_scheme("keyed"))
    frame = frame_of(spark, {"a": text(1), "b": revised(text(1), 2), "c": text(3)})
    with pytest.raises(engine.PythonException, match="key"):
        with_fingerprints(frame, config).collect()
    # As `spark.executorEnv` sets it when a session starts.
    environment = {**spark.sparkContext.environment, KEY_FILE_VARIABLE: str(tmp_path / "key")}
    monkeypatch.setattr(spark.sparkContext, "environment", environment)
    fingerprinted = with_fingerprints(frame, config)
    stored = {row.id: row.simhash.content_hash for row in fingerprinted.collect()}
    assert len(stored) == 3
    assert lists_of(families(fingerprinted, config=config)) == [["a", "b"], ["c"]]
    assert key not in str(fingerprinted.collect())


def test_semantics_are_those_that_an_index_stores(spark: Any) -> None:
    made = "The Federal Reserve raised interest rates in Washington on Wednesday. " * 3
    frame = spark.createDataFrame([("a", [made, made])], "id string, `body` array<string>")
    (row,) = with_semantics(frame, IndexConfig(text_field="body")).collect()
    config = IndexConfig(text_field="body", semantics=DEFAULT_SEMANTICS)
    stored = json.loads(encode([f"{made}\n\n{made}"], config).objects[0])
    members = {name: value for name, value in row.simhash.asDict().items() if value is not None}
    assert members == stored


def test_a_text_that_cannot_be_fingerprinted_says_why_and_is_left_out(spark: Any) -> None:
    frame = frame_of(spark, {"long": "word " * 4_000_000, "a": text(1)})
    fingerprinted = with_fingerprints(frame).persist()
    errors = {row.id: row.simhash.error for row in fingerprinted.collect()}
    assert errors["a"] is None
    assert "more than the 16 that are fingerprinted" in errors["long"]
    found = families(fingerprinted)
    assert [row.id for row in found.left_out.collect()] == ["long"]
    assert lists_of(found) == [["a"]]


def small(texts: dict[str, str]) -> list[tuple[Any, ...]]:
    """Return documents with an owner and a day: versions of one text under two owners."""
    return [
        (id, content, None if id.endswith("0") else f"owner {int(id[-1]) % 2}", number)
        for number, (id, content) in enumerate(texts.items())
    ]


def test_rules_dates_owners_and_decisions_count_as_on_one_machine(spark: Any) -> None:
    made: dict[str, str] = {}
    for seed in range(4):
        made[f"{seed}-1"] = text(seed)
        for number in range(2, 6):
            made[f"{seed}-{number}"] = revised(made[f"{seed}-{number - 1}"], 50 * seed + number)
    rows = small(made)
    frame = spark.createDataFrame(rows, "id string, text string, owner string, day int")
    rules = FamilyRules("newest", dismissed=[("0-1", "0-3")], joined=[("1-2", "2-4")])
    found = families(frame, FrameColumns(date="day", within="owner"), rules=rules)
    days = {id: day for id, _, _, day in rows}
    wanted = families_in_memory(
        made,
        rank=days.__getitem__,
        dismissed=rules.dismissed,
        joined=rules.joined,
        within={id: [owner] for id, _, owner, _ in rows},
    )
    assert lists_of(found) == wanted


def test_a_family_keeps_its_name_and_no_two_have_one(spark: Any) -> None:
    """Two families claim the name that most documents of one have; the other is named anew."""
    one, two = text(1), text(2)
    rows = [("a", one, "kept"), ("b", one.upper(), "kept"), ("c", two, "kept"), ("d", "", "kept")]
    frame = spark.createDataFrame(rows, "id string, text string, family string")
    found = families(frame, FrameColumns(family="family"))
    names = {row.id: row.family for row in found.documents.collect()}
    assert names["a"] == names["b"] == "kept"
    (parts,) = TextAnalyser().stored_parts([two])
    assert parts is not None
    assert names["c"] == parts.content_hash[:16]
    assert names["d"] != "kept"


def test_what_many_texts_have_is_bounded_and_reported(spark: Any) -> None:
    made = {str(number): revised(text(7), 300 + number, 0.02) for number in range(12)}
    full = local_links(made)
    bounded = version_pairs(frame_of(spark, made), max_texts=3)
    rows = bounded.pairs.collect()
    pairs = {(row.one, row.other): row.score for row in rows}
    assert pairs.items() < full.items()
    # Each text still has a link, with one of the first.
    assert {side for pair in pairs for side in pair} == {side for pair in full for side in pair}
    assert all(row.texts > 3 for row in bounded.hot.collect())
    assert bounded.hot.count() > 0


def dying_once(marker: str, batches: Any) -> Iterator[Any]:
    for batch in batches:
        if not os.path.exists(marker):
            Path(marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield batch


def test_a_killed_worker_changes_nothing(spark: Any, tmp_path: Path) -> None:
    made = {
        f"{seed}-{n}": text(seed) if n == 0 else revised(text(seed), 9 + seed)
        for seed in range(20)
        for n in range(2)
    }
    marker = tmp_path / "died"
    dying = frame_of(spark, made).mapInArrow(
        partial(dying_once, str(marker)), "id string, text string"
    )
    found = families(dying)
    assert lists_of(found) == families_in_memory(made)
    assert marker.exists()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda frame: families(frame, FrameColumns(id="key")), "no column 'key', only id, text"),
        (lambda frame: families(frame, FrameColumns(date="text")), "which has no order in time"),
        (lambda frame: families(frame, rules=FamilyRules("oldest")), "'oldest' needs a date"),
        (
            lambda frame: with_fingerprints(frame, IndexConfig(text_field="body")),
            "no column 'body'",
        ),
        (lambda frame: families(frame.union(frame)), "Several rows have the id 'a'"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    spark: Any, make: Callable[[Any], Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        make(frame_of(spark, {"a": "Some text."}))


def test_numbers_stand_for_hashes_the_same_in_both_languages(spark: Any) -> None:
    hashes = ["0" * 32, "f" * 32, "8" + "0" * 31, "7" + "f" * 31, "a1b2c3d4e5f60718" + "9" * 16]
    frame = spark.createDataFrame([(each,) for each in hashes], "hash string")
    assert [row[0] for row in frame.select(_key("hash")).collect()] == list(
        map(texts.key_of, hashes)
    )


@pytest.mark.cluster
def test_the_page_runs_as_it_stands(spark: Any, tmp_path: Path, shelf: Shelf) -> None:
    shelf.put({"a": text(1), "b": text(1).upper()})
    rows = [(f"a{n}", revised(text(5), n), f"2024-01-0{n}") for n in range(1, 4)]
    rows.append(("a0", rows[0][1].upper(), "2023-12-31"))
    frame = spark.createDataFrame(rows, "id string, text string, published string")
    frame.withColumn("published", frame.published.cast("date")).write.parquet(
        f"{tmp_path}/articles"
    )
    names: dict[str, Any] = {"spark": spark}
    for block in blocks("docs/spark.md"):
        if block.is_run:
            assert block.language == "python"
            # Spark's working directory is that of its start.
            code = re.sub(r'(parquet\(")(\w+"\))', rf"\1{tmp_path}/\2", block.body)
            code = code.replace("http://localhost:9200", cluster_url_of(shelf))
            exec(code.replace('"articles", slices', f'"{shelf.name}", slices'), names)
    documents = spark.read.parquet(f"{tmp_path}/families")
    assert documents.count() == 4
    assert [row.id for row in documents.where("representative").collect()] == ["a3"]
    kept_ids = {row.id for row in spark.read.parquet(f"{tmp_path}/kept").collect()}
    assert kept_ids == {"a1", "a2", "a3"}
    assert names["report"].written == 2


@pytest.mark.cluster
def test_an_index_gets_the_families_that_a_run_over_it_finds(spark: Any, shelf: Shelf) -> None:
    """Read by slices of one moment, and written by sequence numbers."""
    made = {f"{seed}-1": text(seed) for seed in range(8)}
    made |= {f"{seed}-2": revised(made[f"{seed}-1"], 30 + seed) for seed in range(5)}
    shelf.put({**made, "empty": "", "dismissed": revised(made["7-1"], 99)})
    shelf.client.update(index=shelf.name, id="6-1", doc={"text": "Another text."}, refresh=True)
    dismiss(shelf.client, shelf.name, "7-1", "dismissed")
    with opened_index(spark, Cluster(cluster_url_of(shelf)), shelf.name, slices=3) as read:
        found = families(read.documents, read.columns, read.config, read.rules)
        lists = lists_of(found)
        left_out = [row.id for row in found.left_out.collect()]
        # Somebody writes another text, and another field of a document, meanwhile.
        shelf.write([{"id": "0-1", "text": text(50)}])
        shelf.client.update(index=shelf.name, id="1-1", doc={"title": "New"}, refresh=True)
        report = write_families(read, found)
        names = shelf.names()
        again = write_families(read, found)
    assert left_out == ["6-1"]
    assert (report.written, report.conflicts) == (13, ("0-1",))
    assert again.conflicts == ("0-1",)
    assert shelf.names() == names
    assert names["0-1"] is None
    assert names["6-1"] is None
    # A run over the index finds the same, and has nothing to write but for these two.
    shelf.write([{"id": "0-1", "text": made["0-1"]}, {"id": "6-1", "text": made["6-1"]}])
    run = shelf.find()
    assert run.written == 2
    several = sorted([family for family in lists if len(family) > 1])
    assert sorted(list(family.members) for family in run.families) == several


def test_a_cluster_shows_no_secrets() -> None:
    shown = repr(Cluster("http://localhost:9200", "secret-key", "user", "secret-word"))
    assert "secret" not in shown


CASES = [
    OnVersion("replace", keep="newest", date_field="day"),
    OnVersion("link"),
    OnVersion("skip", lose=1.0, kinds=("exact", "version", "contains", "excerpt_of")),
]


@pytest.fixture(scope="module")
def stream() -> list[dict[str, Any]]:
    """Documents in the order they come: versions that lose something or not, parts, and copies."""
    made = []
    for seed in range(12):
        first = text(seed, 200)
        several = [first, f"{first} It closes at nine.", revised(first, 70 + seed), first.upper()]
        several += [f"{first} {text(500 + seed, 300)}", revised(several[1], 90 + seed)]
        made += [(number, seed, each) for number, each in enumerate(several[: 2 + seed % 5])]
    made += [(9, 99, "")]
    return [
        {
            "id": f"d{place:03}",
            "text": each,
            "day": 10 * seed + (7 * number) % 5,
            "place": place,
            "owner": ("x", "y", None)[number % 3],
        }
        for place, (number, seed, each) in enumerate(sorted(made))
    ]


@pytest.mark.cluster
@pytest.mark.parametrize("within", [None, "owner"])
@pytest.mark.parametrize("rules", CASES, ids=["replace", "link", "skip"])
def test_decisions_are_those_of_ingest_in_the_same_order(
    spark: Any,
    stream: list[dict[str, Any]],
    client: Any,
    index_name: str,
    rules: OnVersion,
    within: str | None,
) -> None:
    install(client, index_name, semantics=None)
    fields = {"day": {"type": "long"}, "owner": {"type": "keyword"}}
    client.indices.put_mapping(index=index_name, properties=fields)
    configure(client, index_name, {"within": within})
    with DryRunPolicy(client, index_name, rules) as policy:
        wanted = policy.decide(stream)
    columns = "id string, text string, day long, place int, owner string"
    rows = [tuple(each.values()) for each in stream]
    named = FrameColumns(date="day", within=within)
    result = deduplicate(spark.createDataFrame(rows, columns), rules, named, order="place")
    found = {row.id: row for row in result.decisions.collect()}
    assert len(found) == len(wanted)
    for decision in wanted:
        row, relation = found[decision.id], decision.relation
        assert (row.action, row.original) == (decision.action, decision.other)
        assert (row.family, row.superseded) == (decision.family, decision.superseded)
        assert row.writes == decision.writes
        if relation is not None:
            assert (row.kind, row.score) == (relation.kind, relation.score)
    kept_ids = {row.id for row in result.documents.collect()}
    assert kept_ids == {decision.id for decision in wanted if decision.writes}
    assert {decision.action for decision in wanted} > {"write"}
    assert result.hot.count() == 0


def command(*arguments: object) -> tuple[int, str]:
    """Run a program in the session of the tests; return its status, and what it printed."""
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if isinstance(result.exception, SystemExit) or result.exception is None:
        return result.exit_code, result.output
    raise result.exception


def test_programs_read_and_write_files(spark: Any, tmp_path: Path) -> None:
    source = tmp_path / "articles.jsonl"
    one = text(3)
    made = {"a": one, "b": f"{one} It closes at nine.", "c": text(4), "d": one}
    lines = [
        json.dumps({"key": id, "body": each, "owner": "x" if id in "ad" else "y"}) + "\n"
        for id, each in made.items()
    ]
    source.write_text("".join(lines), "utf-8")
    prints, found = tmp_path / "prints", tmp_path / "families.jsonl"
    names = ("--text-field", "body")
    assert command("fingerprint", source, prints, *names, "--semantics") == (0, "")
    assert command("families", prints, found, "--id", "key", *names) == (0, "")
    parts = [part.read_text("utf-8") for part in found.glob("*.json")]
    rows = [json.loads(line) for part in parts for line in part.splitlines()]
    families_found = {row["id"]: row["family"] for row in rows}
    assert families_found["a"] == families_found["b"] == families_found["d"]
    assert families_found["c"] != families_found["a"]
    assert command("pairs", prints, tmp_path / "pairs", *names) == (0, "")
    assert spark.read.parquet(str(tmp_path / "pairs")).count() == 1
    decisions, kept_rows = tmp_path / "decisions", tmp_path / "kept.jsonl"
    arguments = ("--id", "key", "--decisions", decisions, *names)
    assert command("deduplicate", source, kept_rows, *arguments) == (0, "")
    kept_ids = {row.key for row in spark.read.json(str(kept_rows)).collect()}
    assert "d" not in kept_ids
    assert {"a", "c"} <= kept_ids
    again, kept_too = tmp_path / "again", tmp_path / "kept_too.jsonl"
    arguments = ("--id", "key", "--decisions", again, "--within", "owner", *names)
    assert command("deduplicate", source, kept_too, *arguments) == (0, "")
    assert {row.key for row in spark.read.json(str(kept_too)).collect()} == {"a", "b", "c"}
    with pytest.raises(InputError, match=r"Cannot write .*already exists"):
        command("pairs", prints, tmp_path / "pairs", *names)
    with pytest.raises(InputError, match=r"Cannot read .*nothing"):
        command("pairs", tmp_path / "nothing", tmp_path / "x", *names)


def written_lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_programs_read_fingerprints_that_they_wrote_as_json(spark: Any, tmp_path: Path) -> None:
    """Spark leaves out of JSON what is null; dates of JSON are texts."""
    one = text(3)
    made = {"a": one, "b": f"{one} It closes at nine.", "c": text(4)}
    rows = [
        {"id": id, "text": each, "published": f"2024-01-0{day}"}
        for day, (id, each) in enumerate(made.items(), 1)
    ]
    source, prints = written_lines(tmp_path / "articles.jsonl", *rows), tmp_path / "prints.jsonl"
    assert command("fingerprint", source, prints) == (0, "")
    assert "status" not in spark.read.json(str(prints)).schema["simhash"].dataType.names
    options = ("--date", "published", "--representative", "newest")
    assert command("families", prints, tmp_path / "families", *options) == (0, "")
    documents = spark.read.parquet(str(tmp_path / "families")).collect()
    family = {row.id: row.family for row in documents}
    assert family["a"] == family["b"] != family["c"]
    assert {row.id for row in documents if row.representative} == {"b", "c"}
    assert command("pairs", prints, tmp_path / "pairs") == (0, "")
    assert spark.read.parquet(str(tmp_path / "pairs")).count() == 1


def test_what_a_date_of_json_cannot_be_is_one_sentence(spark: Any, tmp_path: Path) -> None:
    rows = [{"id": id, "text": text(3), "published": id} for id in ("2024-01-31", "soon")]
    source = written_lines(tmp_path / "articles.jsonl", *rows)
    with pytest.raises(InputError, match=r"'published' has 'soon', which is no date such as"):
        command("families", source, tmp_path / "out", "--date", "published")
    with pytest.raises(InputError, match=r"no column 'day'.*Set date"):
        command("families", source, tmp_path / "out", "--date", "day")


def test_fingerprints_without_their_members_are_one_sentence(spark: Any, tmp_path: Path) -> None:
    rows = {"id": "a", "text": text(3), "simhash": {"error": "None."}}
    source = written_lines(tmp_path / "prints.jsonl", rows)
    for program in ("families", "pairs"):
        with pytest.raises(InputError, match=r"no member 'scheme', only error\. Fingerprint"):
            command(program, source, tmp_path / "out")


@pytest.mark.parametrize("whole", ['{"id": "a", "text": "Some text."}\n', ""])
def test_a_line_that_was_cut_off_is_no_empty_document(
    spark: Any, tmp_path: Path, whole: str
) -> None:
    source = tmp_path / "articles.jsonl"
    source.write_text(whole + '{"id": "b", "text": "Cut o', "utf-8")
    with pytest.raises(InputError, match=r"line '\{\"id\": \"b\".*Cut o' is no JSON object"):
        command("fingerprint", source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "rest", [" garbage", "}", "] x", ',{"id": "c"}', ', "__es_simhash": 1', ' {"id": "c"}']
)
def test_a_line_that_goes_on_after_its_object_is_no_document(
    spark: Any, tmp_path: Path, rest: str
) -> None:
    source = tmp_path / "articles.jsonl"
    whole = '{"id": "a", "text": "Some text.", "score": NaN}'
    source.write_text(f"\ufeff{whole}\n\n \t\n[{whole}, {whole}] \n", "utf-8")
    assert read_documents(spark, str(source)).count() == 3
    with source.open("a", encoding="utf-8") as file:
        file.write('{"id": "b"}' + rest)
    with pytest.raises(InputError) as caught:
        command("fingerprint", source, tmp_path / "out")
    line = '{"id": "b"}' + rest
    assert str(caught.value) == (
        f"Cannot read {str(source)!r}: line {line!r} is no JSON object. Correct it."
    )


@pytest.mark.parametrize("whole", ['{"id": "a", "text": "Some text."}\n', ""])
def test_a_line_of_null_is_no_document(spark: Any, tmp_path: Path, whole: str) -> None:
    source = tmp_path / "articles.jsonl"
    source.write_text(whole + " null\n", "utf-8")
    with pytest.raises(InputError, match=r"line ' null' is no JSON object\. Correct it\.$"):
        read_documents(spark, str(source))
    # Nor is it without Spark.
    assert isinstance(parse_line(b" null", 0, IndexConfig()), Failure)


@pytest.mark.parametrize("left", [-9, -2000])
def test_a_packed_file_that_was_cut_off_is_one_sentence(
    spark: Any, tmp_path: Path, left: int
) -> None:
    source = tmp_path / "articles.jsonl.gz"
    lines = [json.dumps({"id": str(seed), "text": text(seed)}) + "\n" for seed in range(50)]
    source.write_bytes(gzip.compress("".join(lines).encode())[:left])
    with pytest.raises(
        InputError,
        match=r"^Cannot read '\S+/articles\.jsonl\.gz': [^\n]+\. Repair or replace it\.$",
    ):
        command("fingerprint", source, tmp_path / "out")


def test_an_error_of_java_that_is_none_of_a_file_stays() -> None:
    class NoMemory(engine.Py4JJavaError):
        def __init__(self) -> None:
            pass

        def __str__(self) -> str:
            return "java.lang.OutOfMemoryError: Java heap space"

    def parquet(path: str) -> Any:
        raise NoMemory

    with pytest.raises(NoMemory):
        read_documents(SimpleNamespace(read=SimpleNamespace(parquet=parquet)), "articles")


def ended_with(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> Any:
    monkeypatch.setattr("sys.argv", ["spark", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        run()
    return ended.value.code


def test_an_error_of_a_worker_is_one_sentence(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.createDataFrame(
        [("a", "Some text."), (None, "A text.")], "id string, text string"
    )
    source, target = tmp_path / "in", tmp_path / "out"
    frame.write.parquet(str(source))
    sentence = "Error: A document has no id. Set id."
    assert ended_with(monkeypatch, "families", source, target) == sentence
    decisions = ("--decisions", tmp_path / "decisions")
    assert ended_with(monkeypatch, "deduplicate", source, target, *decisions) == sentence
    error = ended_with(monkeypatch, "families", source, target, "--id", "text.part")
    assert error.startswith("Error: [")
    assert "\n" not in error


@pytest.mark.cluster
def test_a_program_says_what_it_wrote_into_an_index_and_left_out(spark: Any, shelf: Shelf) -> None:
    shelf.put({"a": text(1), "b": text(1).upper(), "c": text(2)})
    shelf.client.update(index=shelf.name, id="c", doc={"text": "Another text."}, refresh=True)
    status, said = command("index-families", shelf.name, "--url", cluster_url_of(shelf))
    assert (status, said.splitlines()) == (
        0,
        [
            "1 document without fingerprints of the text left out.",
            "Families of 2 documents written, 0 conflicts.",
        ],
    )


@pytest.mark.parametrize(
    ("variables", "key"),
    [
        ({"ES_SIMHASH_API_KEY": "ours"}, "ours"),
        ({"ELASTICSEARCH_API_KEY": "theirs"}, "theirs"),
        ({"ES_SIMHASH_API_KEY": "ours", "ELASTICSEARCH_API_KEY": "theirs"}, "ours"),
    ],
)
def test_the_key_is_that_of_the_command_line(
    spark: Any, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], key: str
) -> None:
    for name in ("ES_SIMHASH_API_KEY", "ELASTICSEARCH_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    keys = []

    def opened(session: Any, cluster: Cluster, *_: Any, **__: Any) -> Any:
        keys.append(cluster.api_key)
        raise InputError("Not opened.")

    monkeypatch.setattr("es_simhash.spark.__main__.opened_index", opened)
    with pytest.raises(InputError, match="Not opened"):
        command("index-families", "articles", "--url", "http://127.0.0.1:9")
    assert keys == [key]


def test_public_names_are_of_the_modules_of_the_room() -> None:
    homes = {module.__name__ for module in MODULES}
    foreign = {name for name in frames.__all__ if getattr(frames, name).__module__ not in homes}
    assert foreign == {"OnVersion"}
    assert frames.__all__ == sorted(frames.__all__)


def test_types_of_columns_are_written_as_spark_writes_schemas() -> None:
    columns = (("id", "string"), ("terms", "array<string>"))
    assert engine.ddl(columns) == "`id` string, `terms` array<string>"
    assert engine.table(columns, []).num_rows == 0


def test_posting_lists_are_divided_and_paired_with_their_first_texts(spark: Any) -> None:
    rows = [(key, 1, [7]) for key in range(10)] + [(key, 2, [7, 8, 9]) for key in (20, 21)]
    listed = candidates.postings(
        spark.createDataFrame(rows, "key long, least byte, asked array<int>")
    )
    pairs = {(row.one, row.other) for row in candidates.candidate_pairs(listed, 2).collect()}
    firsts = {(one, other) for one in (0, 1) for other in range(one + 1, 10)}
    assert (
        firsts | {(20, 21)}
        <= pairs
        <= firsts | {(20, 21)} | {(one, other) for one in (0, 1) for other in (20, 21)}
    )
    assert [row.texts for row in candidates.hot_shingles(listed, 2).collect()] == [12]


def test_components_are_found_whatever_their_form(spark: Any) -> None:
    chain = [(number, number + 1) for number in range(1, 40)]
    star = [(100, number) for number in range(101, 120)]
    edges = spark.createDataFrame([*chain, *star, (7, 7)], "one long, other long")
    labels = {row.key: row.component for row in components.components(edges).collect()}
    assert labels == {**dict.fromkeys(range(1, 41), 1), **dict.fromkeys(range(100, 120), 100)}
