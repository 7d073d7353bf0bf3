"""Where the last search for copies ended, as shards are written, restored and made anew."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.new_documents import LastRun
from es_simhash.relation.references import DocumentRef
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.index_stats import Checkpoint


class Shards:
    """Stores of an index whose shards have documents with the sequence numbers of a test."""

    name = "news"

    def __init__(self, **seq_nos: Sequence[int]) -> None:
        self.seq_nos = seq_nos

    @contextlib.contextmanager
    def snapshot(self, index: str, *, shard: int, must_refresh: bool) -> Iterator[Any]:
        def rows(where: Any, parts: Any) -> Iterator[Any]:
            for number in self.seq_nos[index]:
                if number > where.above_seq_no:
                    yield SimpleNamespace(ref=DocumentRef(index, f"{index}{number}"))

        yield SimpleNamespace(rows=rows)

    def run(self, options: CopyOptions | None = None) -> LastRun:
        began = [
            Checkpoint(index, 0, f"{index}/0", max(numbers), max(numbers))
            for index, numbers in self.seq_nos.items()
        ]
        store: Any = self
        return LastRun(store, IndexConfig(), options or CopyOptions(since="last"), began)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path))
    return tmp_path


def new(run: LastRun) -> list[str]:
    assert run.is_known()
    return [ref.id for ref in run.written(())]


def test_what_was_written_since_is_new_also_in_a_new_index_or_a_restored_shard() -> None:
    first = Shards(a=[0, 1], b=[4]).run()
    assert not first.is_known()
    first.store()
    assert new(Shards(a=[0, 1], b=[4]).run()) == []
    grown = Shards(a=[1, 2, 3], b=[4], c=[0, 1])
    assert new(grown.run()) == ["a2", "a3", "c0", "c1"]
    # What was not stored is new once more.
    assert new(grown.run()) == ["a2", "a3", "c0", "c1"]
    grown.run().store()
    assert new(Shards(a=[0, 1], b=[4, 5], c=[1]).run()) == ["a0", "a1", "b5"]
    assert not grown.run(CopyOptions(since="last", boilerplate=9)).is_known()


def test_without_the_privilege_a_date_is_asked_for() -> None:
    store: Any = Shards(a=[1])
    run = LastRun(store, IndexConfig(), CopyOptions(since="last"), None)
    with pytest.raises(InputError, match=r"privilege `monitor` on the index\. Name a date"):
        run.is_known()
    run.store()
    assert not store.run().is_known()
