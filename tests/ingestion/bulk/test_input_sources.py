import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk import splitter
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits, Lines, Texts, Unreadable
from es_simhash.ingestion.bulk.input_sources import Source, open_sources
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.bulk.splitter import Position, split_documents, split_lines
from es_simhash.store.config import IndexConfig

CONFIG = IndexConfig()


def source(path: Path) -> Source:
    (found,) = open_sources([path], io.BytesIO())
    return found


@given(
    st.lists(st.text("ab\r ", max_size=9).map(str.encode)),
    st.booleans(),
    st.integers(1, 40),
    st.integers(1, 4),
)
def test_lines_are_cut_without_losing_any(
    lines: list[bytes], ends: bool, size: int, documents: int
) -> None:
    content = b"\n".join(lines) + (b"\n" if ends else b"")
    limits = BatchLimits(documents, size)
    batches = list(split_lines(io.BytesIO(content), "name", limits, Position("s")))
    assert b"".join(each.data for each in batches if isinstance(each, Lines)) == content
    for batch in batches:
        assert isinstance(batch, Lines)
        assert batch.checkpoint is not None
        before = content[: batch.checkpoint.done - len(batch.data)]
        assert batch.first == before.count(b"\n") + 1
        assert batch.data.count(b"\n") <= documents
        assert batch.data.endswith(b"\n") or batch.checkpoint.done == len(content)
        assert batch.checkpoint.lines == content[: batch.checkpoint.done].count(b"\n")


def test_an_endless_line_is_refused_and_the_others_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(splitter, "LONGEST_LINE", 50)
    content = b"one\n" + b"x" * 200 + b"\nthree\n"
    batches = list(split_lines(io.BytesIO(content), "name", BatchLimits(10, 20), Position("s")))
    assert [type(each) for each in batches] == [Lines, Unreadable, Lines]
    assert [each.location(0) for each in batches] == [("name", 1), ("name", 2), ("name", 3)]
    assert [each.checkpoint.done for each in batches if each.checkpoint] == [4, 205, len(content)]
    (refused,) = batches[1].documents(CONFIG)
    assert isinstance(refused, Failure)
    assert batches[1].original(0) is None


def test_a_file_is_read_from_its_mark_on(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n3\n4\n")
    batches = list(source(path).batches(BatchLimits(2), None))
    (rest,) = source(path).batches(BatchLimits(2), batches[0].checkpoint)
    assert rest == batches[1]
    assert rest.location(0) == (str(path), 3)


@pytest.mark.parametrize(
    ("content", "is_unchanged"),
    [
        (b"1\n2\n3\n", True),
        # What was not read yet may be anything, and there may be more of it.
        (b"1\n2\nthree\n4\n", True),
        (b"1\n2\n", True),
        (b"0\n1\n2\n3\n", False),
        (b"1\n0\n3\n", False),
        (b"1\n2", False),
        (b"", False),
    ],
)
def test_a_file_is_unchanged_if_what_was_read_is(
    tmp_path: Path, content: bytes, is_unchanged: bool
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n3\n")
    checkpoint = next(source(path).batches(BatchLimits(2), None)).checkpoint
    assert checkpoint is not None
    path.write_bytes(content)
    assert source(path).is_unchanged(checkpoint) is is_unchanged


@pytest.mark.parametrize(
    ("added", "is_unchanged"), [(b"", True), (b"\n3\n", True), (b"2\n3\n", False)]
)
def test_a_last_line_without_an_end_must_not_go_on(
    tmp_path: Path, added: bytes, is_unchanged: bool
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2")
    (batch,) = source(path).batches(BatchLimits(), None)
    assert batch.checkpoint is not None
    path.write_bytes(b"1\n2" + added)
    assert source(path).is_unchanged(batch.checkpoint) is is_unchanged


def test_a_file_that_grew_is_known_after_each_of_several_runs(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n")
    (first,) = source(path).batches(BatchLimits(), None)
    path.write_bytes(b"1\n2\n3\n")
    (second,) = source(path).batches(BatchLimits(), first.checkpoint)
    assert second.location(0) == (str(path), 3)
    assert second.checkpoint is not None
    assert source(path).is_unchanged(second.checkpoint)
    path.write_bytes(b"1\n0\n3\n")
    assert not source(path).is_unchanged(second.checkpoint)


def names(batches: list[Batch]) -> list[str]:
    return [name for each in batches if isinstance(each, Texts) for name in each.names]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "a/z.md", "a/c.txt", "c.png", "z/y/x.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Text of {name}.", "utf-8")
    return tmp_path


def test_a_folder_gives_its_text_files_by_their_path(folder: Path) -> None:
    batches = list(source(folder).batches(BatchLimits(2), None))
    assert names(batches) == ["b.txt", "a/c.txt", "a/z.md", "z/y/x.txt"]
    first = next(iter(batches[0].documents(CONFIG)))
    assert isinstance(first, Document)
    assert (first.id, first.source) == ("b.txt", b'{"text": "Text of b.txt."}')


def test_a_folder_is_read_from_its_mark_on(folder: Path) -> None:
    checkpoint = next(source(folder).batches(BatchLimits(2), None)).checkpoint
    assert names(list(source(folder).batches(BatchLimits(2), checkpoint))) == [
        "a/z.md",
        "z/y/x.txt",
    ]


@pytest.mark.parametrize("name", ["aa.txt", "b.txt"])
def test_a_folder_has_changed_with_what_is_before_the_mark(folder: Path, name: str) -> None:
    checkpoint = next(source(folder).batches(BatchLimits(2), None)).checkpoint
    assert checkpoint is not None
    assert source(folder).is_unchanged(checkpoint)
    (folder / name).write_text("Something else that is longer.", "utf-8")
    assert not source(folder).is_unchanged(checkpoint)


def test_a_folder_grown_behind_the_mark_is_not_read_again(folder: Path) -> None:
    checkpoint = next(source(folder).batches(BatchLimits(2), None)).checkpoint
    (folder / "z" / "new.txt").write_text("New.", "utf-8")
    assert checkpoint is not None
    assert source(folder).is_unchanged(checkpoint)
    assert "b.txt" not in names(list(source(folder).batches(BatchLimits(2), checkpoint)))


def test_files_that_are_no_text_are_refused_each(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "huge.txt").touch()
    with (tmp_path / "huge.txt").open("r+b") as stream:
        stream.truncate(50 << 20)
    (batch,) = source(tmp_path).batches(BatchLimits(bytes=1 << 30), None)
    reasons = {
        each.id: each.reason for each in batch.documents(CONFIG) if isinstance(each, Failure)
    }
    assert "No such file" in reasons["gone.txt"]
    assert "50.0 MiB" in reasons["huge.txt"]
    assert "not UTF-8" in reasons["latin.txt"]


def test_a_text_file_is_one_document_and_done_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("A text.", "utf-8")
    (batch,) = source(path).batches(BatchLimits(), None)
    assert names([batch]) == ["a.txt"]
    assert list(source(path).batches(BatchLimits(), batch.checkpoint)) == []
    assert batch.checkpoint is not None
    assert source(path).is_unchanged(batch.checkpoint)
    path.write_text("Another text.", "utf-8")
    assert not source(path).is_unchanged(batch.checkpoint)


def test_paths_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        open_sources([tmp_path / "nothing"], io.BytesIO())
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with pytest.raises(InputError, match="two folders"):
        open_sources([tmp_path / "a", tmp_path / "b"], io.BytesIO())


def test_a_packed_file_that_is_cut_off_fails_as_one(tmp_path: Path) -> None:
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(b"\x1f\x8b\x08")
    (batch,) = source(packed).batches(BatchLimits(), None)
    (failure,) = batch.documents(CONFIG)
    assert isinstance(failure, Failure)
    assert "The packed file is damaged" in failure.reason
    assert batch.location(0) == (str(packed), None)


def test_a_path_given_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.touch()
    assert len(open_sources([path, path, "-"], io.BytesIO())) == 2


def test_documents_of_a_program_become_lines_of_ascii() -> None:
    documents = [{"id": 1, "text": "é\ud800"}, {"id": object()}, {"id": 2, "text": ""}]
    one, unreadable, two = split_documents(documents, BatchLimits())
    assert one.original(0) == b'{"id":1,"text":"\\u00e9\\ud800"}'
    (refused,) = unreadable.documents(CONFIG)
    assert isinstance(refused, Failure)
    assert "cannot be written as JSON" in refused.reason
    assert [each.location(0) for each in (unreadable, two)] == [("documents", 2), ("documents", 3)]
