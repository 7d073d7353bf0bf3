"""Names of families: kept while a family goes on, otherwise from the texts in it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from es_simhash.fingerprints.hashing import digest_of_key

_DIGITS = 16


def names_of(
    families: Sequence[Sequence[str]],
    earlier: Mapping[str, Sequence[str]],
    taken: Collection[str] = frozenset(),
) -> list[str]:
    """Return each family a name that no other has.

    A family keeps the name that most of its documents have. When a name is wanted by two, as after
    a family fell apart, the one with more of its documents keeps it. A new family is named by the
    smallest content hash in it, whatever the order its texts came in.

    Args:
        families: AnalysedText hashes of the texts of each family.
        earlier: Names the documents of a text have, by its hash.
        taken: Names of families that are not among these.
    """
    counts = [Counter(name for text in family for name in earlier[text]) for family in families]
    wanted = [
        (-count, name, min(families[number]), number)
        for number, names in enumerate(counts)
        for name, count in names.items()
    ]
    given: dict[int, str] = {}
    used = set(taken)
    for _, name, _, number in sorted(wanted):
        if number not in given and name not in used:
            given[number] = name
            used.add(name)
    for number in sorted(set(range(len(families))) - given.keys(), key=lambda n: min(families[n])):
        given[number] = _unused(sorted(families[number]), used)
        used.add(given[number])
    return [given[number] for number in range(len(families))]


def _unused(hashes: Sequence[str], used: Collection[str]) -> str:
    for content_hash in hashes:
        if content_hash[:_DIGITS] not in used:
            return content_hash[:_DIGITS]
    return digest_of_key(*hashes)
