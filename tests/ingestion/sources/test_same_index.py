"""The same 200 documents give the same index, whatever kind of file they are in."""

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import SourceOptions, open_sources
from es_simhash.ingestion.ingest import ingest_sources
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.store.installation.install import install
from tests.support.journals import saved_lines
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster

Rows = list[dict[str, str]]


def made_up() -> Rows:
    texts = [make_text(seed, 60) for seed in range(100)]
    texts += [revise(text, seed, 0.05) for seed, text in enumerate(texts)]
    return [
        {"_id": f"d{number}", "_routing": f"r{number % 3}", "text": f'{text}\n"é; ,end"'}
        for number, text in enumerate(texts)
    ]


def table(rows: Rows, separator: str) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def zstd(content: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(content)
    return packed


def parquet(rows: Rows) -> bytes:
    pyarrow, file = pytest.importorskip("pyarrow"), io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), file)
    return file.getvalue()


def arrow(rows: Rows) -> bytes:
    pyarrow, file = pytest.importorskip("pyarrow"), io.BytesIO()
    table = pyarrow.Table.from_pylist(rows)
    with pytest.importorskip("pyarrow.ipc").new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


KINDS: dict[str, Callable[[Rows], bytes]] = {
    "a.csv": lambda rows: table(rows, ","),
    "a.tsv": lambda rows: table(rows, "\t"),
    "a.csv.gz": lambda rows: gzip.compress(table(rows, ";")),
    "a.json": lambda rows: json.dumps(rows, indent=1).encode(),
    "a.parquet": parquet,
    "a.arrow": arrow,
    "a.jsonl.zst": lambda rows: zstd("\n".join(map(json.dumps, rows)).encode()),
}


@pytest.fixture(scope="module")
def rows() -> Rows:
    return made_up()


@pytest.fixture
def read(client: Any, index_name: str, tmp_path: Path) -> Callable[..., Any]:
    """Ingest a file into a new index, and return all that the index has."""

    def read(name: str, content: bytes, **options: Any) -> dict[str, Any]:
        path = tmp_path / name
        path.write_bytes(content)
        install(client, index_name)
        sources = open_sources([path], io.BytesIO(), SourceOptions(**options))
        outcomes = ingest_sources(client, index_name, sources, settings=IngestSettings())
        assert Counter(each.status for each in outcomes) == {"written": 200}
        client.indices.refresh(index=index_name)
        answer = client.search(
            index=index_name, size=1000, query={"match_all": {}}, fields=["simhash.*"]
        )
        return {
            hit["_id"]: (hit["_routing"], hit["_source"], hit["fields"])
            for hit in answer["hits"]["hits"]
        }

    return read


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """What the index of the file of JSON Lines has, once it was read."""
    return {}


@pytest.mark.variants
@pytest.mark.parametrize("kind", ["a.jsonl", *KINDS])
def test_each_kind_gives_the_same_index(
    read: Callable[..., Any], rows: Rows, expected: dict[str, Any], kind: str
) -> None:
    if not expected:
        expected |= read("a.jsonl", "\n".join(map(json.dumps, rows)).encode())
    if kind in KINDS:
        assert read(kind, KINDS[kind](rows)) == expected
    else:
        assert {id: source["text"] for id, (_, source, _) in expected.items()} == {
            row["_id"]: row["text"] for row in rows
        }


def test_other_names_of_columns_give_the_same_index(
    read: Callable[..., Any], rows: Rows, expected: dict[str, Any]
) -> None:
    columns = {"Number": "_id", "Route": "_routing", "Content": "text"}
    others = [dict(zip(columns, row.values(), strict=True)) for row in rows]
    found = read("a.csv", table(others, ","), renamed=columns)
    assert found == (expected or found)
    assert found["d7"][1]["text"] == rows[7]["text"]


def test_a_run_over_a_packed_table_goes_on_where_it_was_ended(
    client: Any, index_name: str, rows: Rows, tmp_path: Path
) -> None:
    path, journal = tmp_path / "a.csv.gz", tmp_path / "journal"
    path.write_bytes(KINDS["a.csv.gz"](rows))
    install(client, index_name, semantics=None)
    done: list[int] = []
    settings = IngestSettings(
        limits=BatchLimits(30),
        ahead=1,
        journal=journal,
        on_progress=lambda progress: done.append(progress.done),
    )
    with closing(ingest_sources(client, index_name, opened(path), settings=settings)) as outcomes:  # type: ignore[type-var]
        next(outcomes)
    saved = saved_lines(journal)
    assert 30 <= saved < 200
    rest = list(ingest_sources(client, index_name, opened(path), settings=settings))
    assert len(rest) == 200 - saved
    assert done[-1] == path.stat().st_size
    client.indices.refresh(index=index_name)
    assert client.count(index=index_name)["count"] == 200


def opened(path: Path) -> Any:
    return open_sources([path], io.BytesIO())
