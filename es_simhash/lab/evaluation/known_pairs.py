"""Labelled pairs of documents that are there: in an index, or in files of texts."""

from collections.abc import Callable

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs


def known_pairs(pairs: LabelledPairs, is_known: Callable[[str], bool], where: str) -> LabelledPairs:
    """Return the pairs whose documents are there; the others are reported by their lines.

    Args:
        pairs: Of a file.
        is_known: Says whether there is a document of an id.
        where: Where documents were looked for.

    Raises:
        InputError: No pair is left, or all have one label.
    """
    found = found_pairs(pairs, is_known, where)
    require_both_labels(found, where)
    return found


def found_pairs(pairs: LabelledPairs, is_known: Callable[[str], bool], where: str) -> LabelledPairs:
    """Return the pairs whose documents are there, which may be none; as `known_pairs` does."""
    labels, problems = {}, list(pairs.problems)
    for pair, label in pairs.labels.items():
        missing = [id for id in pair if not is_known(id)]
        if missing:
            problems.append(
                f"File {pairs.name!r}, line {pairs.lines[pair]}: document {missing[0]!r} is not "
                f"in {where}. Check the id."
            )
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
