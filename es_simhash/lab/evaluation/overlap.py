"""What several files of labelled pairs have in common, which would carry a cut into its own set."""

from collections.abc import Sequence
from itertools import combinations

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs


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
                f"Files {one.name!r} and {other.name!r} share {len(pairs)} pairs, such as "
                f"{first!r} and {second!r}. Keep each pair in one file: the cut of a file is "
                "chosen on the others."
            )
        shared = _documents(one) & _documents(other)
        if shared:
            sentences.append(
                f"Files {one.name!r} and {other.name!r} share {len(shared)} documents, such as "
                f"{min(shared)!r}: their figures are not independent of each other."
            )
    return sentences


def _documents(pairs: LabelledPairs) -> set[str]:
    return {id for pair in pairs.labels for id in pair}
