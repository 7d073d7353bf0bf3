"""Files of every format that is read, damaged in any place, and what reading them must end in."""

import gzip
import io
import json
import random
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.json_documents import Document
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.store.config import IndexConfig
from tests.fuzz.hostile import changed, damaged, hostile_text, require_sentence, rounds, spliced

_MARKUP = "http://schemas.openxmlformats.org"
_TEXT = "The harbour was closed for two days, and the ships waited outside. " * 3
# Files of a batch: some libraries take a tenth of a second for one.
_FILES = 6
# Which package reads a format, by the ending of names; none for the others.
_PACKAGES = {
    ".parquet": "pyarrow",
    ".arrow": "pyarrow",
    ".feather": "pyarrow",
    ".zst": "zstandard",
    ".pdf": "pypdf",
    ".html": "trafilatura",
}


def packed_word(document: bytes, level: int = 6) -> bytes:
    """Return a Word file with a part for the document."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as packed:
        packed.writestr("word/document.xml", document)
    return file.getvalue()


def pdf(content: bytes, filters: bytes = b"") -> bytes:
    """Return a PDF of one page.

    Args:
        content: What draws the page, as it is in the file.
        filters: How it is packed, such as `/Filter /FlateDecode`.
    """
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), filters, content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    file, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return file + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<< /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (count, table, count, len(file))
    )


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


# Of those whose text is packed, how they are made of it: what is within is damaged as well.
_LINES = "".join(
    json.dumps({"id": str(number), "text": _TEXT, "tags": ["a", None]}) + "\n"
    for number in range(5)
).encode()
_ROWS = b"id,text,day\n" + b"".join(b'%d,"%b",2026-01-02\n' % (n, _TEXT.encode()) for n in range(5))
_DRAWN = b"BT /F1 12 Tf 20 700 Td (%b) Tj 0 -20 Td [(And) -250 (more)] TJ ET" % _TEXT.encode()
_DOCUMENT = (
    f'<w:document xmlns:w="{_MARKUP}/wordprocessingml/2006/main"><w:body>'
    + f"<w:p><w:pPr><w:tabs/></w:pPr><w:r><w:t>{_TEXT}</w:t><w:br/></w:r></w:p>" * 3
    + "</w:body></w:document>"
).encode()
_PAGE = (
    "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Harbour</title></head>"
    f"<body><article><h1>Harbour</h1><p>{_TEXT}</p><table><tr><td>a<td>b</table>"
    f"<ul><li>{_TEXT}</ul></article><script>x()</script></body></html>"
).encode()
# What a file of each name holds, and how that is packed.
_FORMS: Mapping[str, tuple[bytes, Callable[[bytes], bytes]]] = MappingProxyType(
    {
        "a.jsonl": (_LINES, bytes),
        "a.txt": (_TEXT.encode(), bytes),
        "a.json": (b"[" + _LINES.strip().replace(b"\n", b",\n") + b"]", bytes),
        "a.csv": (_ROWS, bytes),
        "a.tsv": (_ROWS.replace(b",", b"\t"), bytes),
        "a.jsonl.gz": (_LINES, lambda data: gzip.compress(data, 1)),
        "a.csv.gz": (_ROWS, lambda data: gzip.compress(data, 1)),
        "a.jsonl.zst": (_LINES, _zstd),
        "a.tsv.zst": (_ROWS.replace(b",", b"\t"), _zstd),
        "a.docx": (_DOCUMENT, packed_word),
        "a.pdf": (_DRAWN, pdf),
        "b.pdf": (_DRAWN, lambda data: pdf(zlib.compress(data), b"/Filter /FlateDecode")),
        "a.html": (_PAGE, bytes),
    }
)


def _table(kind: str, **options: Any) -> bytes:
    import pyarrow
    from pyarrow import ipc, parquet

    rows = [
        {"id": str(n), "text": _TEXT, "size": n, "tags": ["a", "b"], "in": {"x": "y"}}
        for n in range(9)
    ]
    table = pyarrow.Table.from_pylist(rows)
    file = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(table, file, row_group_size=4, **options)
        return file.getvalue()
    opened = ipc.new_file if kind == "file" else ipc.new_stream
    with opened(file, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=4)
    return file.getvalue()


@cache
def _tables() -> Mapping[str, bytes]:
    """Return tables in columns by names of files; their parts are packed by their libraries."""
    if find_spec("pyarrow") is None:
        return {}
    return {
        "a.parquet": _table("parquet"),
        "b.parquet": _table("parquet", compression="none", use_dictionary=False),
        "a.arrow": _table("file"),
        "b.arrow": _table("file", compression="zstd"),
        "a.feather": _table("stream"),
    }


def missing_packages() -> dict[str, str]:
    """Return the packages that are not installed, by the ending of files that need them."""
    return {end: name for end, name in _PACKAGES.items() if find_spec(name) is None}


@cache
def whole_files() -> Mapping[str, bytes]:
    """Return files that are not damaged, by their names, of each format that can be read here."""
    ends = tuple(missing_packages())
    forms = {
        name: pack(content)
        for name, (content, pack) in _FORMS.items()
        if not (ends and name.endswith(ends))
    }
    return {**forms, **_tables()}


def read_damaged(chosen: random.Random) -> int:
    """Read files that are damaged: each ends in documents, or in one sentence."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in rounds(chosen, _FILES):
            name = chosen.choice(list(whole_files()))
            path = Path(folder) / name
            path.write_bytes(_damaged(name, chosen))
            count += 1 + sum(1 for _ in read_documents(path))
    return count


def _damaged(name: str, chosen: random.Random) -> bytes:
    """Return a file that is damaged: its bytes, what is packed in them, or both."""
    data = whole_files()[name]
    if name in _FORMS and chosen.random() < 0.5:
        content, pack = _FORMS[name]
        data = pack(_damaged_within(content, chosen))
        if chosen.random() < 0.7:
            return data
    if chosen.random() < 0.2:
        return spliced(data, chosen.choice(list(whole_files().values())), chosen)
    return damaged(data, chosen)


def _damaged_within(content: bytes, chosen: random.Random) -> bytes:
    if chosen.random() < 0.5:
        return damaged(content, chosen)
    text = changed(content.decode(), chosen).replace(_TEXT, hostile_text(chosen), 1)
    return text.encode("utf-8", "surrogatepass")


def read_documents(path: Path) -> Iterator[Document | Failure]:
    """Yield the documents of a file; what cannot be read is one sentence.

    Args:
        path: The file; a source is what its name and its content say.
    """
    config = IndexConfig()
    try:
        for source in open_sources([str(path)], stream=io.BytesIO()):
            for batch in source.batches(BatchLimits(), None):
                for read in batch.documents(config):
                    assert isinstance(read, Document | Failure)
                    if isinstance(read, Failure):
                        require_sentence(read.reason)
                    yield read
    except EsSimhashError as error:
        require_sentence(str(error))


_UNPACKED = 1 << 29


@cache
def _deflated_spaces() -> bytes:
    """Return so many spaces, which JSON, XML and PDF pass over, as a raw deflate stream."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    part = b" " * (1 << 24)
    return b"".join([*(packer.compress(part) for _ in range(_UNPACKED >> 24)), packer.flush()])


def _gzip_bomb() -> bytes:
    # The checksum comes last: it is not reached before all is unpacked.
    end = struct.pack("<II", 0, _UNPACKED)
    return b"\x1f\x8b\x08\x00" + bytes(6) + _deflated_spaces() + end


def _zstd_bomb() -> bytes:
    import zstandard

    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join(
        [*(packer.compress(b" " * (1 << 24)) for _ in range(_UNPACKED >> 24)), packer.flush()]
    )


def _pdf_bomb() -> bytes:
    return pdf(zlib.compress(b"")[:2] + _deflated_spaces(), b"/Filter /FlateDecode")


def _word_bomb() -> bytes:
    """Return a Word file whose part for the document unpacks to half a gibibyte."""
    name, packed = b"word/document.xml", _deflated_spaces()
    sizes = struct.pack("<III", 0, len(packed), _UNPACKED)
    head = struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes + struct.pack("<HH", len(name), 0)
    entry = b"PK\x03\x04" + head + name + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + head + bytes(14) + name
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(entry), 0)
    return entry + central + b"PK\x05\x06" + end


def _entity_bomb() -> bytes:
    """Return a Word file of which each entity is ten times the one before."""
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    return packed_word(f'<!DOCTYPE a [<!ENTITY e0 "aaaaaaaaaa">{lines}]><a>&e11;</a>'.encode())


# Files of at most a megabyte that unpack to half a gibibyte, or to as much as there is: their
# names, and what makes them.
BOMBS: Mapping[str, tuple[str, Callable[[], bytes]]] = MappingProxyType(
    {
        "gzip": ("a.jsonl.gz", _gzip_bomb),
        "zstd": ("a.jsonl.zst", _zstd_bomb),
        "a Word file": ("a.docx", _word_bomb),
        "nested entities": ("b.docx", _entity_bomb),
        "a PDF": ("a.pdf", _pdf_bomb),
    }
)
