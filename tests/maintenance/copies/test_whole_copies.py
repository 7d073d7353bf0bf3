"""A search on disk finds what one in memory finds, whatever memory it may use and where it ends."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.journal_file import INDEX, UUIDS
from es_simhash.maintenance import work_files
from es_simhash.maintenance.copies import copy_files, whole_copies
from es_simhash.maintenance.copies.copy_files import CopyFiles
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.whole_copies import StoredCommonTexts, WholeCopies
from es_simhash.maintenance.work_files import WorkFiles
from es_simhash.pairs import spilled_postings
from es_simhash.pairs.boilerplate import places_of
from es_simhash.pairs.copy_candidates import TextPair, UnitCandidates
from es_simhash.pairs.copy_units import ComparedDocuments, CopyDocument, earliest
from es_simhash.relation.references import DocumentRef, DocumentVersion

JOB = {INDEX: "some", UUIDS: []}


def documents(seed: int, count: int = 120) -> list[CopyDocument]:
    """Return documents of some owners and families, with copies, boilerplate and what is left."""
    rng = random.Random(seed)
    texts = [
        np.unique(
            np.array([*rng.sample(range(1200), 20), *rng.sample(range(6), 2)], np.uint32) * 7919
        )
        for _ in range(40)
    ]
    found = []
    for number in range(count):
        text = rng.randrange(len(texts))
        owners = tuple(sorted(rng.sample("abcdefgh", rng.choice((1, 1, 1, 2)))))
        found.append(
            CopyDocument(
                DocumentVersion(DocumentRef("some", f"d{number}", None), number, 1),
                f"h{text}",
                rng.choice((None, "f1", "f2", "f\x01")),
                () if number % 17 == 0 else owners,
                rng.choice((None, 10**18 + rng.randrange(9), 3.5)),
                texts[text],
                number % 19 == 0,
                number % 23 != 0,
            )
        )
    return found


def written(number: int, seq_no: int, text: int) -> CopyDocument:
    """Return a document with an owner of its own; all such have one shingle."""
    version = DocumentVersion(DocumentRef("some", f"d{number}", None), seq_no, 1)
    shingles = np.array([0, *range(100 * text, 100 * text + 20)], np.uint32)
    return CopyDocument(
        version, f"h{text}", None, (f"o{number}",), None, shingles, is_empty=False, is_current=True
    )


class Reader:
    """Reads documents as `CopyReader` does."""

    def __init__(self, documents: Sequence[CopyDocument]) -> None:
        self.all = list(documents)

    def count(self) -> int:
        return len(self.all)

    def documents(self) -> Iterator[CopyDocument]:
        yield from self.all

    def versions(self) -> Iterator[DocumentVersion]:
        yield from (document.version for document in self.all)

    def of_ids(self, ids: Sequence[str]) -> Iterator[CopyDocument]:
        yield from (document for document in self.all if document.ref.id in ids)


Found = list[tuple[str, str, str, str, int]]


def shown(pair: TextPair) -> tuple[str, str, str, str, int]:
    since = earliest(pair.ones), earliest(pair.others)
    refs = [document.ref.id for document in (pair.one.first, pair.other.first, *since)]
    return refs[0], refs[1], refs[2], refs[3], pair.documents


def in_memory(some: Sequence[CopyDocument], options: CopyOptions) -> tuple[Found, Any, Any]:
    """Return the pairs, the common shingles, and the texts with most of these."""
    compared = ComparedDocuments(options.between is not None)
    compared.add(some)
    candidates = UnitCandidates(compared, options.boilerplate)
    pairs = [
        pair
        for units in candidates.pairs()
        for pair in (units.all() if options.all_pairs else filter(None, [units.best()]))
    ]
    pairs.sort(key=lambda pair: (pair.one.first.ref, pair.other.first.ref))
    texts = [text for unit in compared.units for text in unit.texts]
    counts = [(-len(places_of(t.shingles, candidates.common.shingles)), t.first.ref) for t in texts]
    most = [ref.id for count, ref in sorted(counts) if count]
    common = candidates.common
    return list(map(shown, pairs)), list(zip(common.shingles, common.groups, strict=True)), most


def on_disk(path: Path, reader: Any, options: CopyOptions) -> tuple[Found, Any, Any]:
    with CopyFiles.of(path, JOB) as files:
        whole = WholeCopies(files, options)
        whole.read(reader)
        whole.find()
        common = files.common()
        texts = StoredCommonTexts(files, common)
        most = [document.ref.id for document, _ in texts.by_count()]
        having = list(texts.all())
        # Each text of each unit once, with as many documents as have it.
        compared = ComparedDocuments(options.between is not None)
        compared.add(reader.all)
        assert sum(int(each.documents.sum()) for each in having) == compared.compared
        found = list(map(shown, files.text_pairs()))
        files.remove()
    return found, list(zip(common.shingles, common.groups, strict=True)), most


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_copies, "_DOCUMENTS", 7)
    monkeypatch.setattr(whole_copies, "_KEYS", 2)
    monkeypatch.setattr(whole_copies, "_TEXTS", 5)
    monkeypatch.setattr(copy_files, "_DOCUMENTS", 4)
    monkeypatch.setattr(spilled_postings, "_PAIR_BYTES", 1 << 18)
    monkeypatch.setattr(spilled_postings, "_ENTRY_BYTES", 1 << 15)


@pytest.mark.variants
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("between", ["owner", None])
@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.usefixtures("in_small_steps")
def test_pairs_and_boilerplate_are_those_of_a_search_in_memory(
    tmp_path: Path, seed: int, between: str | None, all_pairs: bool
) -> None:
    some = documents(seed)
    options = CopyOptions(between=between, all_pairs=all_pairs, boilerplate=3, memory=16)
    found = on_disk(tmp_path / "journal", Reader(some), options)
    assert found == in_memory(some, options)
    assert len(found[0]) >= 2 if between else True
    assert found[1]
    assert list(tmp_path.iterdir()) == []


class Killed(Exception):
    """Stands for a kill."""


@pytest.mark.usefixtures("in_small_steps")
def test_a_search_that_is_killed_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = documents(7, 60)
    options = CopyOptions(between="owner", boilerplate=3, memory=16)
    expected = in_memory(some, options)
    commit = WorkFiles.commit
    left = [0]

    def commit_or_die(files: WorkFiles, **progress: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        return commit(files, **progress)

    monkeypatch.setattr(WorkFiles, "commit", commit_or_die)
    runs = 0
    while True:
        # Seven commits more than the last time, as those before are not made again.
        left[0] = 7 + runs
        runs += 1
        try:
            found = on_disk(tmp_path / "journal", Reader(some), options)
        except Killed:
            continue
        break
    assert runs > 3
    assert found == expected


@pytest.mark.parametrize(("first", "later"), [(16, 64), (64, 16)])
@pytest.mark.usefixtures("in_small_steps")
def test_a_search_that_goes_on_with_another_memory_finds_the_same(
    tmp_path: Path, first: int, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = documents(7)
    options = CopyOptions(between="owner", boilerplate=3, memory=later)

    def killed(files: CopyFiles) -> None:
        assert files.progress("parts") > 1
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(CopyFiles, "least", killed)
        with pytest.raises(Killed):
            on_disk(tmp_path / "journal", Reader(some), replace(options, memory=first))
    assert on_disk(tmp_path / "journal", Reader(some), options) == in_memory(some, options)


@pytest.mark.usefixtures("in_small_steps")
def test_documents_of_two_indices_with_the_same_ids_are_read_once_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What was read of one batch of versions is there when the next one is compared.
    monkeypatch.setattr(work_files, "_VERSIONS", 5)
    one = documents(13, 40)
    other = [
        replace(each, version=replace(each.version, ref=DocumentRef("another", each.ref.id, None)))
        for each in documents(14, 40)
    ]
    some = [*one, *(replace(each, content_hash=f"o{each.content_hash}") for each in other)]
    options = CopyOptions(between="owner", boilerplate=3)
    add = CopyFiles.add

    def killed(files: CopyFiles, *given: Any, **named: Any) -> None:
        add(files, *given, **named)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(CopyFiles, "add", killed)
        with pytest.raises(Killed):
            on_disk(tmp_path / "journal", Reader(some), options)
    found = on_disk(tmp_path / "journal", Reader(some), options)
    assert found == in_memory(some, options)


@pytest.mark.parametrize("is_killed", [False, True])
def test_another_text_of_the_document_that_was_read_last_counts(
    tmp_path: Path, is_killed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [written(number, number, text=number) for number in range(1, 6)]
    options = CopyOptions(between="owner", boilerplate=3)
    with CopyFiles.of(tmp_path / "journal", JOB) as files:
        whole = WholeCopies(files, options)
        whole.read(Reader(some))
        whole.find()
    later = [*some[:-1], written(5, 6, text=1)]
    if is_killed:

        def killed(files: CopyFiles) -> None:
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(CopyFiles, "forget_derived", killed)
            with pytest.raises(Killed):
                on_disk(tmp_path / "journal", Reader(later), options)
    found = on_disk(tmp_path / "journal", Reader(later), options)
    assert found == in_memory(later, options)
    assert [pair[:2] for pair in found[0]] == [("d1", "d5")]


def test_what_changed_between_two_runs_is_read_again(tmp_path: Path) -> None:
    some = documents(11, 60)
    options = CopyOptions(between="owner", boilerplate=3)
    with CopyFiles.of(tmp_path / "journal", JOB) as files:
        whole = WholeCopies(files, options)
        whole.read(Reader(some))
        whole.find()
    changed = documents(12, 90)[30:]
    later = [
        replace(
            each,
            version=DocumentVersion(each.ref, each.version.seq_no + 1000, 1),
            content_hash=f"new-{each.content_hash}",
        )
        for each in changed
    ]
    now = [*some[:30], *later]
    assert on_disk(tmp_path / "journal", Reader(now), options) == in_memory(now, options)


def test_more_documents_without_a_family_than_fit_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_copies, "_DOCUMENTS", 2)
    monkeypatch.setattr(whole_copies, "_DOCUMENT_BYTES", 1 << 22)
    options = CopyOptions(between="owner", memory=16)
    message = "have no family, and about 3 are grouped in the memory .* Set memory"
    with pytest.raises(InputError, match=message):
        on_disk(tmp_path / "journal", Reader(documents(1)), options)
    # Those of families are not grouped.
    some = [each for each in documents(1) if each.family]
    assert on_disk(tmp_path / "other", Reader(some), options) == in_memory(some, options)
