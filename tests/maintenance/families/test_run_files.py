"""Texts on disk are what was read, in whatever order they are read again."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from es_simhash.ingestion.bulk.journal_file import INDEX, UUIDS
from es_simhash.maintenance.families.family_reader import FamilyDocument, ReadDocument
from es_simhash.maintenance.families.run_files import RunFiles, SpilledTexts, pack, unpack
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.relation.scoring import min_shared, version_score
from es_simhash.relation.stored_text import StoredParts
from es_simhash.relation.thresholds import VERSION_SCORE
from tests.support import made_up_texts

JOB = {INDEX: "some", UUIDS: []}


def stored(texts: list[str]) -> list[StoredParts]:
    return [text for text in TextAnalyser().stored_parts(texts) if text is not None]


def read(number: int, text: StoredParts | None, *, is_current: bool = True) -> ReadDocument:
    version = DocumentVersion(DocumentRef("some", f"d{number}", "r" if number % 2 else None), 7, 1)
    hash = "" if text is None else text.content_hash
    values = ("b", "a") if number % 3 == 0 else ()
    document = FamilyDocument(version, hash, None, None, 2**60 + number, values)
    return ReadDocument(document, text, is_current)


@dataclass(frozen=True)
class Reader:
    """Reads documents that are there."""

    documents: list[ReadDocument]

    def versions(self) -> Iterator[DocumentVersion]:
        return (each.document.version for each in self.documents)

    def of_ids(self, ids: Sequence[str]) -> Iterator[ReadDocument]:
        return (each for each in self.documents if each.ref.id in ids)


def test_a_text_is_the_same_after_it_was_packed() -> None:
    texts = stored(["One.", made_up_texts.make_text(1, 40), made_up_texts.make_text(2, 9000)])
    for text in texts:
        again = unpack(pack(text))
        assert again.content_hash == text.content_hash
        assert again.characters == text.characters
        assert again.sketch == text.sketch
        for name in ("shingles", "queried_shingles"):
            assert np.array_equal(getattr(again, name), getattr(text, name))
        for name in ("fingerprints", "characters", "shingle_counts"):
            assert np.array_equal(getattr(again.chunks, name), getattr(text.chunks, name))
        assert version_score(again, text, VERSION_SCORE) == 1.0


def test_texts_are_read_by_their_numbers_whatever_fits_in_memory(tmp_path: Path) -> None:
    texts = stored([made_up_texts.make_text(seed, 50) for seed in range(30)])
    with RunFiles.open(tmp_path / "run", JOB) as files:
        for start in range(0, 30, 7):
            some = [read(number, texts[number]) for number in range(start, min(30, start + 7))]
            files.add(some, min_shared)
        for memory in (0, 20_000, 1 << 30):
            spilled = SpilledTexts(files, memory)
            for number in random.Random(1).choices(range(30), k=100):
                assert spilled[number].content_hash == texts[number].content_hash
            spilled.close()
        files.remove()
    assert list(tmp_path.iterdir()) == []


def test_documents_come_back_as_they_were_read(tmp_path: Path) -> None:
    one, other = stored(["Some words of a text.", "Others of another one, which is longer."])
    documents = [
        read(0, one), read(1, None), read(2, other), read(3, one), read(4, other, is_current=False),
    ]  # fmt: skip
    with RunFiles.open(tmp_path / "run", JOB) as files:
        files.add(documents[:2], min_shared)
        files.add(documents[2:], min_shared)
        found = files.documents("1")
        assert [each.document for each in found] == [each.document for each in documents]
        assert [each.text for each in found] == [0, None, 1, 0, None]
        assert [each.is_current for each in found] == [True, True, True, True, False]
        files.remove()


def test_documents_that_have_an_end_for_sqlite_in_their_ids_are_read_once(tmp_path: Path) -> None:
    (text,) = stored(["Some words of a text."])
    ref = DocumentRef("index", "a\0b")
    document = replace(read(0, text).document, version=DocumentVersion(ref, 1, 1))
    reader = Reader([replace(read(0, text), document=document)])
    with RunFiles.open(tmp_path / "run", JOB) as files:
        assert list(files.unread(reader)) == reader.documents
        files.add(reader.documents, min_shared)
        assert list(files.unread(reader)) == []
        files.remove()


def test_what_was_not_committed_is_forgotten(tmp_path: Path) -> None:
    texts = stored([made_up_texts.make_text(seed, 50) for seed in range(2)])
    with RunFiles.open(tmp_path / "run", JOB) as files:
        files.add([read(0, texts[0])], min_shared)
        size = files.size("texts")
        files.append("texts", np.zeros(100, np.uint8))
    with RunFiles.open(tmp_path / "run", JOB) as files:
        assert files.size("texts") == size
        files.add([read(1, texts[1])], min_shared)
        spilled = SpilledTexts(files, 1000)
        assert spilled[1].content_hash == texts[1].content_hash
        spilled.close()
        files.remove()
