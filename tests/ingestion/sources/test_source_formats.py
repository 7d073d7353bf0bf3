"""Files of each kind: the same documents, whatever holds them, and what is malformed in them."""

import csv
import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.document_batches import Batch, BatchLimits
from es_simhash.ingestion.bulk.input_sources import (
    Source,
    SourceOptions,
    StandardInput,
    open_sources,
    parsed_map,
)
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.sources import delimited, formats, json_values, lines_of_file
from es_simhash.ingestion.sources.record_file import RecordFile
from es_simhash.ingestion.sources.source_format import Record, SourceFile
from es_simhash.store.config import IndexConfig

CONFIG = IndexConfig()
DOCUMENTS = [
    {"_id": f"d{number}", "text": f'Text {number}, "quoted";\nsecond line é', "note": f"n{number}"}
    for number in range(20)
]


def source(path: Path, **options: Any) -> Source:
    (opened,) = open_sources([path], io.BytesIO(), SourceOptions(**options))
    return opened


def read(batches: list[Batch]) -> list[tuple[str, str, Any]]:
    """Return id, text and stored fields of each document; of a failure place and reason."""
    rows: list[tuple[str, str, Any]] = []
    for batch in batches:
        for document in batch.documents(CONFIG):
            if isinstance(document, Document):
                rows.append((document.id, document.text, json.loads(document.source)))
            else:
                line = batch.location(document.position)[1]
                rows.append(("failed", document.reason, line))
    return rows


def rows_of(path: Path, size: int = 1000, **options: Any) -> list[tuple[str, str, Any]]:
    return read(list(source(path, **options).batches(BatchLimits(size), None)))


def table(separator: str) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(DOCUMENTS[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(DOCUMENTS)
    return file.getvalue().encode()


def json_lines() -> bytes:
    return "".join(json.dumps(document) + "\n" for document in DOCUMENTS).encode()


KINDS = {
    "a.jsonl": json_lines(),
    "a.json": json.dumps(DOCUMENTS, indent=2).encode(),
    "a.array": json.dumps(DOCUMENTS, ensure_ascii=False).encode(),
    "lines.json": json_lines(),
    "objects.json": "\n".join(json.dumps(each, indent=1) for each in DOCUMENTS).encode(),
    "a.csv": table(","),
    "marked.csv": b"\xef\xbb\xbf" + table(";"),
    "a.tsv": table("\t"),
}


def packed(name: str, content: bytes, packing: str) -> tuple[str, bytes]:
    if packing == "gz":
        return f"{name}.gz", gzip.compress(content)
    if packing == "zst":
        zstandard = pytest.importorskip("zstandard")
        return f"{name}.zst", zstandard.ZstdCompressor().compress(content)
    return name, content


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_the_same_documents(tmp_path: Path, kind: str, packing: str) -> None:
    name, content = packed(kind, KINDS[kind], packing)
    path = tmp_path / name
    path.write_bytes(content)
    expected = [
        (each["_id"], each["text"], {"text": each["text"], "note": each["note"]})
        for each in DOCUMENTS
    ]
    assert rows_of(path) == expected
    assert rows_of(path, size=7) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("packing", ["", "gz"])
def test_a_file_is_read_from_a_checkpoint_on(tmp_path: Path, kind: str, packing: str) -> None:
    name, content = packed(kind, KINDS[kind], packing)
    path = tmp_path / name
    path.write_bytes(content)
    whole = source(path)
    batches = list(whole.batches(BatchLimits(7), None))
    for number, batch in enumerate(batches):
        assert batch.checkpoint is not None
        assert whole.is_unchanged(batch.checkpoint)
        rest = list(whole.batches(BatchLimits(7), batch.checkpoint))
        assert read(rest) == read(batches[number + 1 :])
    assert sum(batch.size for batch in batches) == whole.size() == len(content)


@pytest.mark.long
@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_what_is_before_the_damage_of_a_packed_file_is_read(tmp_path: Path, packing: str) -> None:
    # Digits that cannot be packed much.
    values = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(9000)]
    content = "_id,text\n" + "".join(f"{n},{value}\n" for n, value in enumerate(values))
    name, whole = packed("a.csv", content.encode(), packing)
    (tmp_path / name).write_bytes(whole[:-20_000])
    *rows, failed = rows_of(tmp_path / name)
    assert 4000 < len(rows) < 9000
    assert [row[:2] for row in rows] == [(str(n), value) for n, value in enumerate(values)][
        : len(rows)
    ]
    assert failed[0] == "failed"
    assert f"The packed file is damaged after line {len(rows) + 1}" in failed[1]


def test_frames_one_after_the_other_are_one_file(tmp_path: Path) -> None:
    parts = [packed("a.csv", part, "zst")[1] for part in (b"_id,text\na,o", b"", b"ne\nb,two\n")]
    (tmp_path / "a.csv.zst").write_bytes(b"".join(parts))
    assert [row[:2] for row in rows_of(tmp_path / "a.csv.zst")] == [("a", "one"), ("b", "two")]


def test_a_changed_file_is_known(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(KINDS["a.csv"])
    first = next(iter(source(path).batches(BatchLimits(7), None)))
    assert first.checkpoint is not None
    path.write_bytes(KINDS["a.csv"] + b"d99,more,n\n")
    assert source(path).is_unchanged(first.checkpoint)
    path.write_bytes(KINDS["a.csv"].replace(b"Text 3,", b"Text three,"))
    assert not source(path).is_unchanged(first.checkpoint)
    path.write_bytes(KINDS["a.csv"][:40])
    assert not source(path).is_unchanged(first.checkpoint)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("packing", ["", "gz"])
def test_standard_input_has_what_a_file_has(kind: str, packing: str) -> None:
    _, content = packed(kind, KINDS[kind], packing)
    chosen = {".csv": "csv", ".tsv": "tsv"}.get(kind[-4:])
    options = SourceOptions(input_format=chosen)
    batches = list(StandardInput(io.BytesIO(content), options=options).batches(BatchLimits(), None))
    assert [row[0] for row in read(batches)] == [each["_id"] for each in DOCUMENTS]
    assert [batch.checkpoint for batch in batches] == [None] * len(batches)


@pytest.mark.parametrize(
    ("rows", "failed"),
    [
        # A quote that is never closed takes one line, and not the rest of the file.
        ('a,one\nb,"two\nc,three\n', {3: "quote is not closed"}),
        ('a,one\nb,"two\nc,"three"\n', {3: "A quote is not closed"}),
        ('a,one\nb,"two" too\nc,three\n', {3: "without being written twice"}),
        ('a,one\nb,"two\nc,thr"ee\n', {3: "quote is not closed"}),
        # One in the middle of a value is a letter like any other.
        ('a,one\nb,5" disk\nc,three\n', {}),
        ("a,one\nb,two,too\nc,three\n", {3: "3 values, and the header 2"}),
        ("a,one\nb\nc,three\n", {3: "1 values, and the header 2"}),
        ("a,one\n\nb,two\nc,three\n", {}),
    ],
)
def test_a_malformed_row_fails_alone(tmp_path: Path, rows: str, failed: dict[int, str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"_id,text\n{rows}", "utf-8", newline="")
    batches = list(source(path).batches(BatchLimits(), None))
    found = {line: reason for id, reason, line in read(batches) if id == "failed"}
    assert found.keys() == failed.keys()
    for line, reason in failed.items():
        assert reason in found[line]
    ids = [id for id, _, _ in read(batches) if id != "failed"]
    assert ids == (["a", "c"] if failed else ["a", "b", "c"])
    for batch in batches:
        for position, document in enumerate(batch.documents(CONFIG)):
            if not isinstance(document, Document):
                assert (batch.original(position) or b"").startswith(b"b")


@given(st.text('ab,"\n', max_size=60))
def test_no_line_of_a_table_is_lost(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(f"_id,text\n{text}\nlast,row\n", "utf-8", newline="")
    (opened,) = open_sources([path], io.BytesIO())
    assert isinstance(opened, RecordFile)
    records = list(opened.format.records(opened.file))
    held = "".join(
        "".join(map(str, record.document.values()))
        if isinstance(record.document, dict)
        else (record.document or b"").decode()  # type: ignore[union-attr]
        for record in records
    )
    assert all(held.count(letter) >= text.count(letter) for letter in "ab")
    assert sum(letter in "ab" for letter in held) == sum(map(text.count, "ab")) + len("a")


@pytest.mark.parametrize(
    ("above", "separator"),
    [
        ("\n\r\n", ","),
        (" \t\n", ";"),
        (";;\n", ";"),
        ('"","",""\n', ","),
        ("sep=;\r\n", ";"),
        ('"sep=|"\n\n', "|"),
        ("\nSEP=\t\n", "\t"),
        ("sep=^\n", "^"),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_spreadsheets_write_above_the_header_is_no_row(
    tmp_path: Path, above: str, separator: str, mark: str
) -> None:
    path = tmp_path / "a.csv"
    rows = [["_id", "text", "note"], ["a", '"one; or two"', "x"], ["b", "three"]]
    table = "".join(f"{separator.join(row)}\n" for row in rows)
    path.write_text(f"{mark}{above}{table}", "utf-8", newline="")
    good, broken = rows_of(path)
    assert good[:2] == ("a", "one; or two")
    assert broken[0] == "failed"
    assert broken[2] == above.count("\n") + 3
    assert "2 values, and the header 3" in broken[1]


@pytest.mark.parametrize("content", ["", "\n\n", "sep=;\n", ";;\n"])
def test_a_table_without_a_row_has_no_documents(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content, "utf-8", newline="")
    assert rows_of(path) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"text,text\na,b\n", "two columns 'text'"),
        ("_id,text\na,b\n".encode("utf-16"), "UTF-16"),
        (b'"text\na,b\n', "line 1"),
        (b'sep=;\n\n"text\na,b\n', "line 3"),
        (b"t\xe9xt,b\n1,2\n", "line 1"),
    ],
)
def test_a_table_without_a_header_fails_as_one(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    ((id, message, line),) = rows_of(path)
    assert (id, line) == ("failed", None)
    assert reason in message


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a"])
def test_json_in_utf_16_fails_as_one(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / name
    path.write_bytes(
        '\ufeff{"_id": "a", "text": "b"}\n{"_id": "c", "text": "d"}\n'.encode(encoding)
    )
    ((id, reason, line),) = rows_of(path)
    assert (id, line) == ("failed", None)
    assert reason == "The file is UTF-16. Convert it to UTF-8, for example with iconv."


def test_a_row_that_is_not_utf8_fails_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"_id,text\na,caf\xe9\nb,tea\n")
    failed, good = rows_of(path)
    assert failed == ("failed", failed[1], 2)
    assert "not UTF-8" in failed[1]
    assert good[0] == "b"


def test_an_endless_row_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_LINE", 50)
    monkeypatch.setattr(lines_of_file, "LONGEST_LINE", 50)
    path = tmp_path / "a.csv"
    rows = ["_id,text", "a,one", f"b,{'x' * 99}", 'c,"', *["y,y"] * 50, "d,four", ""]
    path.write_text("\n".join(rows), "utf-8")
    documents = rows_of(path)
    assert [row[0] for row in documents] == ["a", "failed", "failed", *["y"] * 50, "d"]
    assert "more than the limit" in documents[1][1]
    assert "quote is not closed" in documents[2][1]
    lines = tmp_path / "b.jsonl.gz"
    lines.write_bytes(
        gzip.compress(b'{"_id":"a","text":"t"}\n"%b"\n{"_id":"c","text":"t"}' % (b"x" * 99))
    )
    assert [(row[0], row[2]) for row in rows_of(lines)][1] == ("failed", 2)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ('[{"_id":"a","text":"t"},\n{"_id" "b"},\n{"_id":"c","text":"t"}]', ["a", 2, "c"]),
        ('[{"_id":"a","text":"t"},\n{"_id":"b","text":"t"', ["a", None]),
        ('[{"_id":"a","text":"t"},\n{"_id":"b","text":"t"}', ["a", "b", None]),
        ('[{"_id":"a","text":"t"},\n7, "x",\n{"_id":"c","text":"t"}]', ["a", 2, 2, "c"]),
        ('[{"_id":"a","text":"t"},\n{"x": ["}", {"y": }]}, {"_id":"c","text":"t"}]', ["a", 2, "c"]),
        # One bracket too many, and files that were put together.
        ('[{"_id":"a","text":"t"}},\n{"_id":"b","text":"t"}]', ["a", 1, "b"]),
        ('[{"_id":"a","text":"t"}]]\n', ["a", 1]),
        ('{\n"_id":"a","text":"t"}}\n]{"_id":"b","text":"t"}', ["a", 2, 3, "b"]),
        ('[{"_id":"a","text":"t"}]\n[{"_id":"b","text":"t"}]', ["a", "b"]),
        ('[{"_id":"a","text":"t"}],\n[], {"_id":"b","text":"t"}', ["a", "b"]),
        ('[{"_id":"a","text":"t"}][{"_id":"b","text":"t"}', ["a", "b", None]),
        ("[]", []),
        ("[", [None]),
    ],
)
def test_a_malformed_object_of_an_array_fails_alone(
    tmp_path: Path, content: str, rows: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, "utf-8")
    read_rows = [line if id == "failed" else id for id, _, line in rows_of(path)]
    assert read_rows == rows
    monkeypatch.setattr(json_values, "_READ_BYTES", 3)
    assert [line if id == "failed" else id for id, _, line in rows_of(path)] == rows


def test_columns_get_the_names_of_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Nr,Content\n1,One\n", "utf-8")
    renamed = parsed_map(["_id=Nr", "text=Content"])
    assert rows_of(path, renamed=renamed) == [("1", "One", {"text": "One"})]
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"Nr": 1, "Content": "One"}\n[]\n', "utf-8")
    good, bad = rows_of(lines, renamed=renamed)
    assert good == ("1", "One", {"text": "One"})
    assert "not an object" in bad[1]


@pytest.mark.parametrize(
    ("renamed", "reason"),
    [
        ({"contnet": "text"}, "no column 'contnet'; did you mean 'content'"),
        ({"zzz": "text"}, "no column 'zzz'; it has '_id', 'content'"),
        ({"content": "_id"}, "has a column '_id' besides 'content'"),
    ],
)
def test_a_column_that_is_missing_is_named(
    tmp_path: Path, renamed: dict[str, str], reason: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("_id,content\n1,One\n", "utf-8")
    ((_, message, _),) = rows_of(path, renamed=renamed)
    assert reason in message


@pytest.mark.parametrize("pairs", [["text"], ["=a"], ["a="], ["a=b", "a=c"], ["a=b", "c=b"]])
def test_pairs_of_a_map_are_checked(pairs: list[str]) -> None:
    with pytest.raises(InputError, match="map"):
        parsed_map(pairs)


def test_a_name_that_is_nearly_there_is_proposed(tmp_path: Path) -> None:
    (tmp_path / "articles.csv").touch()
    with pytest.raises(InputError, match=r"did you mean '[^']*articles.csv'"):
        open_sources([tmp_path / "article.csv"], io.BytesIO())
    with pytest.raises(InputError, match="no input format 'cvs'; did you mean 'csv'"):
        source(tmp_path / "articles.csv", input_format="cvs")


class Upside:
    """A format of a plug-in: a document a line, backwards."""

    name = "upside"
    suffixes = (".upside",)

    def recognises(self, head: bytes) -> bool:
        return head.startswith(b"UPSIDE")

    def records(self, file: SourceFile) -> Any:
        with file.open() as stream:
            for number, line in enumerate(stream, 1):
                yield Record(number, {"_id": str(number), "text": line.decode().strip()[::-1]})


class EntryPoint:
    name, value = "upside", "somewhere:Upside"

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded

    def load(self) -> Any:
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


def test_a_plugin_adds_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    formats.formats.cache_clear()
    monkeypatch.setattr(formats, "entry_points", lambda group: [EntryPoint(Upside())])
    path = tmp_path / "a.upside"
    path.write_text("cba\nfed\n", "utf-8")
    assert [row[:2] for row in rows_of(path)] == [("1", "abc"), ("2", "def")]
    nameless = tmp_path / "nameless"
    nameless.write_text("UPSIDE\n", "utf-8")
    assert [row[1] for row in rows_of(nameless)] == ["EDISPU"]
    formats.formats.cache_clear()


@pytest.mark.parametrize("loaded", [ImportError("no module"), object()])
def test_a_plugin_that_is_broken_is_named(monkeypatch: pytest.MonkeyPatch, loaded: Any) -> None:
    formats.formats.cache_clear()
    monkeypatch.setattr(formats, "entry_points", lambda group: [EntryPoint(loaded)])
    with pytest.raises(InputError, match="source 'upside' of a plug-in"):
        formats.formats()
    formats.formats.cache_clear()
