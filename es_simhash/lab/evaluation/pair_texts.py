"""Texts of the documents of labelled pairs, and the pairs that have them.

Texts come from an index or from files. What several files of pairs have in common would carry a cut
into its own set.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType

from es_simhash.errors import DocumentAmbiguous, InputError
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs
from es_simhash.store.intents import Configuration, DocumentsById, Parts
from es_simhash.store.protocol import Store
from es_simhash.store.rows import Row
from es_simhash.text.counting import counted

# Why documents cannot be read, each as a sentence, by their ids.
Reasons = Mapping[str, str]
_NO_REASONS: Reasons = MappingProxyType({})


def known_pairs(
    pairs: LabelledPairs,
    is_known: Callable[[str], bool],
    where: str,
    reasons: Reasons = _NO_REASONS,
) -> LabelledPairs:
    """Return the pairs whose documents are there; the others are reported by their lines.

    Args:
        pairs: Pairs of a file.
        is_known: Says whether there is a document of an id.
        where: Where documents were looked for.
        reasons: Why some were not read there.

    Raises:
        InputError: No pair is left, or all have one label.
    """
    known = found_pairs(pairs, is_known, where, reasons)
    require_both_labels(known, where)
    return known


def found_pairs(
    pairs: LabelledPairs,
    is_known: Callable[[str], bool],
    where: str,
    reasons: Reasons = _NO_REASONS,
) -> LabelledPairs:
    """Return the pairs whose documents are there, which may be none; as `known_pairs` does."""
    labels, problems = {}, list(pairs.problems)
    for pair, label in pairs.labels.items():
        missing = [id for id in pair if not is_known(id)]
        if missing:
            absent = f"document {missing[0]!r} is not in {where}. Check the id."
            reason = reasons.get(missing[0], absent)
            problems.append(f"File {pairs.name!r}, line {pairs.lines[pair]}: {reason}")
        else:
            labels[pair] = label
    return LabelledPairs(pairs.name, labels, pairs.lines, tuple(problems))


def require_both_labels(pairs: LabelledPairs, where: str) -> None:
    """Check that pairs of both labels are left.

    Raises:
        InputError: There are none, or all have one label.
    """
    labels = pairs.labels
    if not labels:
        raise InputError(f"No pair of file {pairs.name!r} is in {where}. Check the ids.")
    if len(set(labels.values())) < 2:
        only = next(iter(labels.values()))
        raise InputError(
            f"File {pairs.name!r} has only pairs labelled {int(only)} ({len(labels)}). "
            f"Add pairs labelled {int(not only)}."
        )


def shared_documents(files: Sequence[LabelledPairs]) -> list[str]:
    """Return one sentence for each two files that share documents.

    Raises:
        InputError: Two files share a pair: the cut of one would be chosen on that of the other.
    """
    sentences = []
    for one, other in combinations(files, 2):
        pairs = one.labels.keys() & other.labels.keys()
        if pairs:
            first, second = min(pairs)
            raise InputError(
                f"Files {one.name!r} and {other.name!r} share {counted(len(pairs), 'pair')}, such "
                f"as {first!r} and {second!r}. Keep each pair in one file: the cut of a file is "
                "chosen on the others."
            )
        shared = _documents(one) & _documents(other)
        if shared:
            count = counted(len(shared), "document")
            sentences.append(
                f"Files {one.name!r} and {other.name!r} share {count}, such as "
                f"{min(shared)!r}: their figures are not independent of each other."
            )
    return sentences


def _documents(pairs: LabelledPairs) -> set[str]:
    return {id for pair in pairs.labels for id in pair}


# Documents of one request: long texts would make it too large.
_BATCH = 200


def index_texts(store: Store, ids: Sequence[str]) -> tuple[dict[str, str], Reasons]:
    """Return the texts of documents by their ids, and why some cannot be read.

    Those without a text are left out, and an id that several documents behind an alias have.

    Args:
        store: Index, alias or data stream with fingerprint fields, or a sidecar.
        ids: Ids of the documents.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no fingerprint fields.
        InputError: The text field holds something else than text, or no document has it.
    """
    texts: dict[str, str] = {}
    reasons: dict[str, str] = {}
    found = 0
    for start in range(0, len(ids), _BATCH):
        some = tuple(ids[start : start + _BATCH])
        rows = _rows(store, some, reasons)
        found += sum(row.found for row in rows)
        texts |= {row.id: row.text for row in rows if row.text is not None}
    if found and not texts:
        (installed,) = store.ask([Configuration()])
        raise InputError(
            f"None of {counted(found, 'document')} of index {store.name!r} has text in field "
            f"{str(installed.config.text_field)!r}. Set text_field.",
            parameter="text_field",
        )
    return texts, reasons


def _rows(store: Store, ids: tuple[str, ...], reasons: dict[str, str]) -> list[Row]:
    """Return documents by their ids; those that cannot be told apart are added to the reasons."""
    try:
        rows: list[Row]
        (rows,) = store.ask([DocumentsById(ids, Parts(text=True))])
        return rows
    except DocumentAmbiguous as error:
        if len(ids) == 1:
            reasons[ids[0]] = str(error)
            return []
    middle = len(ids) // 2
    return [row for some in (ids[:middle], ids[middle:]) for row in _rows(store, some, reasons)]


def read_texts(paths: Sequence[Path]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the texts of files by their ids, and one sentence for each line left out.

    Args:
        paths: Files of one JSON object a line, with `id` and `text`.

    Raises:
        InputError: A file cannot be read, or has no text.
    """
    texts: dict[str, str] = {}
    problems: list[str] = []
    for path in paths:
        before = len(texts)
        try:
            with path.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    problem = _taken(line, texts) if line.strip() else ""
                    if problem:
                        problems.append(f"File {str(path)!r}, line {number}: {problem}")
        except OSError as error:
            raise InputError(
                f"File {str(path)!r} cannot be read: {error.strerror}. Check the path."
            ) from error
        if len(texts) == before:
            raise InputError(
                problems[-1] if problems else f"File {str(path)!r} is empty. Name another file."
            )
    return texts, tuple(problems)


def _taken(line: bytes, texts: dict[str, str]) -> str:
    """Keep the text of a line, or return what is wrong with it."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "is not valid JSON. Write one object a line."
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return 'has no text. Write {"id": "a", "text": "..."}.'
    id = value.get("id")
    if isinstance(id, bool) or not isinstance(id, (str, int)) or id == "":
        return 'has no id. Write {"id": "a", "text": "..."}.'
    if texts.setdefault(str(id), value["text"]) != value["text"]:
        return f"document {str(id)!r} has another text before. Give each document one text."
    return ""
