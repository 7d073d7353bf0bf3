"""What is given hostile input, a batch at a time, and what must hold of it.

A target returns how many inputs it had. It may raise nothing but an `AssertionError`, which is a
finding: the errors of the package are caught where they are allowed.
"""

import io
import json
import random
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from es_simhash.differences.rendering.unified import unified_diff
from es_simhash.differences.text_changes import changes
from es_simhash.errors import EsSimhashError
from es_simhash.fingerprints.text_fingerprints import fingerprint, fingerprint_batch
from es_simhash.ingestion.bulk.document_batches import BatchLimits, Checkpoint
from es_simhash.ingestion.bulk.input_sources import open_sources
from es_simhash.ingestion.bulk.journal import open_journal
from es_simhash.ingestion.bulk.json_documents import Document, parse_line
from es_simhash.ingestion.bulk.outcomes import Failure
from es_simhash.ingestion.deduplication.audit_log import FileAudit
from es_simhash.relation.text_comparison import compare
from es_simhash.semantics.extractors.builtin import BuiltinExtractor
from es_simhash.store.codec import (
    PackedText,
    shingles_of,
    simhash_json,
    unpack_chunks,
    unpack_sketch,
)
from es_simhash.store.config import IndexConfig
from es_simhash.text.escaping import (
    file_name,
    is_harmless,
    masked_url,
    one_line,
    printable,
)
from es_simhash.text.normal_forms import normalise_all
from tests.fuzz import damaged_vocabularies, pipelines
from tests.fuzz.damaged_files import missing_packages, read_damaged
from tests.fuzz.damaged_vocabularies import read_vocabularies
from tests.fuzz.hostile import altered, changed, damaged, hostile_text, hostile_texts, rounds
from tests.fuzz.lying_server import answer_lies
from tests.fuzz.requests import make_requests

Target = Callable[[random.Random], int]
_JOB = {"index": "i", "uuids": ["u"], "sources": ["s"]}
_RECORD = {
    "run": "0123456789ab",
    "number": 1,
    "time": 1,
    "index": "articles",
    "field": "simhash",
    "id": "2",
    "other": "1",
    "action": "skip",
    "kind": "exact",
    "score": 1.0,
    "coverage": [1.0, 1.0],
    "evidence": ["a b"],
    "document": {"id": "2", "text": "a b c"},
}


def read_texts(chosen: random.Random) -> int:
    """Fingerprint texts; one alone has the numbers that it has in a batch."""
    texts = hostile_texts(chosen, 400)
    batch = fingerprint_batch(texts)
    forms = normalise_all(texts)
    number = chosen.randrange(len(texts))
    alone = fingerprint(texts[number])
    assert simhash_json(batch)[number] == simhash_json(fingerprint_batch([texts[number]]))[0]
    assert alone.content_hash == fingerprint(forms[number]).content_hash
    return len(texts)


def escape(chosen: random.Random) -> int:
    """Escape what is printed: no control character reaches a terminal."""
    texts = hostile_texts(chosen, 400)
    for text in texts:
        assert all(map(is_harmless, printable(text)))
        assert all(map(is_harmless, one_line(text)))
        assert file_name(text).isprintable()
        assert "/" not in file_name(text)
        assert "secret" not in masked_url(f"https://user:{text}secret@host:9200")
    return len(texts)


def read_lines(chosen: random.Random) -> int:
    """Read lines of JSON that are damaged: each is a document, or a failure with its reason."""
    config = IndexConfig()
    for position in rounds(chosen, 200):
        document = altered({"id": "1", "_routing": "a", "text": hostile_text(chosen)}, chosen)
        line = json.dumps(document, ensure_ascii=chosen.random() < 0.5)
        data = line.encode("utf-8", "surrogatepass")
        if chosen.random() < 0.5:
            data = damaged(data, chosen)
        read = parse_line(data, position, config)
        assert isinstance(read, Document | Failure)
    return 200


def unpack(chosen: random.Random) -> int:
    """Unpack stored values that are damaged."""
    # Long enough for chunks.
    text = changed("one two three four five six seven eight nine ten " * 3, chosen)
    (stored,) = simhash_json(fingerprint_batch([f"{hostile_text(chosen)} {text}"]))
    values = json.loads(stored)
    packed = [value for value in values.values() if isinstance(value, str)]
    count = 0
    for _ in rounds(chosen, 20):
        for value in packed:
            text = damaged(value.encode(), chosen).decode("utf-8", "surrogateescape")
            for read in (unpack_chunks, unpack_sketch, lambda text: shingles_of([text])):
                with suppress(EsSimhashError):
                    read(text)
                count += 1
            with suppress(EsSimhashError):
                fields = {"simhash.chunks": [text], "simhash.sketch": [text]}
                hit = {"_index": "news", "_id": "1", "fields": fields}
                packed_text = PackedText.of(hit, "simhash")
                assert packed_text is not None
                _ = packed_text.windows, packed_text.chunks, packed_text.sketch
    return count


def show_changes(chosen: random.Random) -> int:
    """Compare two versions and show what changed."""
    for _ in rounds(chosen, 20):
        a = " ".join(hostile_texts(chosen, 4))
        b = changed(a, chosen)
        changes(a, b)
        unified_diff(a, b, "a")
    return 40


def compare_texts(chosen: random.Random) -> int:
    """Score two texts, with evidence; a text is an exact copy of itself."""
    for _ in rounds(chosen, 10):
        a = " ".join(hostile_texts(chosen, 4))
        relation = compare(a, changed(a, chosen), semantics=None)
        assert 0 <= relation.score <= 1
    compare(a, changed(a, chosen))
    return 22


def extract(chosen: random.Random) -> int:
    """Find names and concepts."""
    texts = hostile_texts(chosen, 20)
    list(BuiltinExtractor().extract(texts))
    return len(texts)


def read_audits(chosen: random.Random) -> int:
    """Read audit logs that are cut or have flipped bits: what cannot be read is passed over."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.jsonl"
        for _ in rounds(chosen, 40):
            lines = [json.dumps({**_RECORD, "number": number}) for number in range(5)]
            if chosen.random() < 0.5:
                lines.append(json.dumps(altered(json.loads(lines[0]), chosen)))
            path.write_bytes(damaged("".join(f"{line}\n" for line in lines).encode(), chosen))
            for record in FileAudit(path).read():
                head = record.head
                for name in ("run", "index", "id", "other", "action"):
                    assert isinstance(head[name], str), (name, head)
                assert isinstance(head["number"], int)
    return 40


def read_journals(chosen: random.Random) -> int:
    """Open journals that are cut or have flipped bits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        with open_journal(path, _JOB) as journal:
            for number in range(4):
                place = Checkpoint(f"s{number}", number, number, "state")
                journal.save(place, {"written": number}, b"x" * 32)
        whole = path.read_bytes()
        for _ in rounds(chosen, 20):
            path.write_bytes(damaged(whole, chosen))
            with suppress(EsSimhashError), open_journal(path, _JOB) as journal:
                list(journal.records())
    return 20


def read_files(chosen: random.Random) -> int:
    """Read files of any bytes as documents."""
    config = IndexConfig()
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.jsonl", "b.txt", "c.json", "d.csv"):
            path = Path(folder) / name
            lines = [json.dumps({"id": str(n), "text": hostile_text(chosen)}) for n in range(5)]
            path.write_bytes(damaged("\n".join(lines).encode(), chosen))
            with suppress(EsSimhashError):
                for source in open_sources([str(path)], stream=io.BytesIO()):
                    for batch in source.batches(BatchLimits(), None):
                        for read in batch.documents(config):
                            assert isinstance(read, Document | Failure)
                            count += 1
    return max(count, 4)


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "texts": read_texts,
        "escaping": escape,
        "lines": read_lines,
        "stored values": unpack,
        "changes": show_changes,
        "comparison": compare_texts,
        "names and concepts": extract,
        "audit logs": read_audits,
        "journals": read_journals,
        "files": read_files,
        "file formats": read_damaged,
        "vocabularies": read_vocabularies,
        **({} if pipelines.missing_package() else {"pipelines": pipelines.read_by_pipelines}),
        "requests": make_requests,
        "answers": answer_lies,
    }
)


def left_out() -> list[str]:
    """Return what is given no input as a package is not installed, one sentence each."""
    missing = {f"files that end in {end}": name for end, name in missing_packages().items()}
    missing |= {
        what: name
        for what, name in (
            ("taxonomies", damaged_vocabularies.missing_package()),
            ("pipelines", pipelines.missing_package()),
        )
        if name is not None
    }
    return [f"Without {name} there are no {what}." for what, name in missing.items()]


def run_target(name: str, seed: Any, number: int) -> int:
    """Run a batch of a target; the same seed and number make the same input."""
    return TARGETS[name](random.Random(f"{seed} {name} {number}"))
