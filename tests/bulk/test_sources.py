import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.bulk import splitter
from es_simhash.bulk.batches import Batch, Checkpoint, Limits, Lines, Texts, Unreadable
from es_simhash.bulk.documents import Document
from es_simhash.bulk.outcome import Failure
from es_simhash.bulk.sources import Source, open_sources
from es_simhash.bulk.splitter import split_documents, split_lines
from es_simhash.errors import InputError
from es_simhash.storage.config import IndexConfig

CONFIG = IndexConfig()


def source(path: Path) -> Source:
    (found,) = open_sources([path], io.BytesIO())
    return found


def checkpoint_of(read: int, lines: int) -> Checkpoint:
    return Checkpoint("s", read, lines, "")


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
    limits = Limits(documents, size)
    batches = list(split_lines(io.BytesIO(content), "name", limits, 1, checkpoint_of))
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
    batches = list(split_lines(io.BytesIO(content), "name", Limits(10, 20), 1, checkpoint_of))
    assert [type(each) for each in batches] == [Lines, Unreadable, Lines]
    assert [each.location(0) for each in batches] == [("name", 1), ("name", 2), ("name", 3)]
    assert [each.checkpoint.done for each in batches if each.checkpoint] == [4, 205, len(content)]
    (refused,) = batches[1].documents(CONFIG)
    assert isinstance(refused, Failure)
    assert batches[1].original(0) is None


def test_a_file_is_read_from_its_mark_on(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n3\n4\n")
    batches = list(source(path).batches(Limits(2), None))
    (rest,) = source(path).batches(Limits(2), batches[0].checkpoint)
    assert rest == batches[1]
    assert rest.location(0) == (str(path), 3)


def test_a_file_that_changed_is_read_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n3\n")
    checkpoint = next(source(path).batches(Limits(2), None)).checkpoint
    path.write_bytes(b"0\n1\n2\n3\n")
    assert next(source(path).batches(Limits(2), checkpoint)).location(0) == (str(path), 1)


def names(batches: list[Batch]) -> list[str]:
    return [name for each in batches if isinstance(each, Texts) for name in each.names]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "a/z.md", "a/c.txt", "c.pdf", "z/y/x.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Text of {name}.", "utf-8")
    return tmp_path


def test_a_folder_gives_its_text_files_by_their_path(folder: Path) -> None:
    batches = list(source(folder).batches(Limits(2), None))
    assert names(batches) == ["b.txt", "a/c.txt", "a/z.md", "z/y/x.txt"]
    first = next(iter(batches[0].documents(CONFIG)))
    assert isinstance(first, Document)
    assert (first.id, first.source) == ("b.txt", b'{"text": "Text of b.txt."}')


def test_a_folder_is_read_from_its_mark_on(folder: Path) -> None:
    checkpoint = next(source(folder).batches(Limits(2), None)).checkpoint
    assert names(list(source(folder).batches(Limits(2), checkpoint))) == ["a/z.md", "z/y/x.txt"]


@pytest.mark.parametrize("name", ["aa.txt", "b.txt"])
def test_a_folder_that_changed_before_the_mark_is_read_again(folder: Path, name: str) -> None:
    checkpoint = next(source(folder).batches(Limits(2), None)).checkpoint
    (folder / name).write_text("Something else that is longer.", "utf-8")
    assert name in names(list(source(folder).batches(Limits(2), checkpoint)))


def test_a_folder_grown_behind_the_mark_is_not_read_again(folder: Path) -> None:
    checkpoint = next(source(folder).batches(Limits(2), None)).checkpoint
    (folder / "z" / "new.txt").write_text("New.", "utf-8")
    assert "b.txt" not in names(list(source(folder).batches(Limits(2), checkpoint)))


def test_files_that_are_no_text_are_refused_each(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "huge.txt").touch()
    with (tmp_path / "huge.txt").open("r+b") as stream:
        stream.truncate(50 << 20)
    (batch,) = source(tmp_path).batches(Limits(bytes=1 << 30), None)
    reasons = {
        each.id: each.reason for each in batch.documents(CONFIG) if isinstance(each, Failure)
    }
    assert "No such file" in reasons["gone.txt"]
    assert "50.0 MiB" in reasons["huge.txt"]
    assert "not UTF-8" in reasons["latin.txt"]


def test_a_text_file_is_one_document_and_done_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("A text.", "utf-8")
    (batch,) = source(path).batches(Limits(), None)
    assert names([batch]) == ["a.txt"]
    assert list(source(path).batches(Limits(), batch.checkpoint)) == []


def test_paths_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        open_sources([tmp_path / "nothing"], io.BytesIO())
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with pytest.raises(InputError, match="two folders"):
        open_sources([tmp_path / "a", tmp_path / "b"], io.BytesIO())
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(InputError, match="zcat"):
        list(source(packed).batches(Limits(), None))


def test_a_path_given_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.touch()
    assert len(open_sources([path, path, "-"], io.BytesIO())) == 2


def test_documents_of_a_program_become_lines_of_ascii() -> None:
    documents = [{"id": 1, "text": "é\ud800"}, {"id": object()}, {"id": 2, "text": ""}]
    one, unreadable, two = split_documents(documents, Limits())
    assert one.original(0) == b'{"id":1,"text":"\\u00e9\\ud800"}'
    (refused,) = unreadable.documents(CONFIG)
    assert isinstance(refused, Failure)
    assert "cannot be written as JSON" in refused.reason
    assert [each.location(0) for each in (unreadable, two)] == [("documents", 2), ("documents", 3)]
