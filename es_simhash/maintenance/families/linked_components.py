"""The families that a run over what changed leaves linked, with the links between their texts."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from es_simhash.pairs.merging import Pair
from es_simhash.pairs.text_links import Links
from es_simhash.store.installation.family_components import Component, linked_families


def linked_components(
    families: Mapping[str, Collection[str]],
    links: Links,
    joined: Iterable[Pair[str]],
    dismissed: Iterable[Pair[str]],
) -> Iterator[Component]:
    """Yield the components that have several families.

    Args:
        families: Of each text the names of those that its documents have, one at least.
        links: Scores of the pairs of texts that are linked.
        joined: Pairs of texts that a person joined.
        dismissed: Pairs of texts that a person dismissed. They may be linked once a document is
            gone, and so are of one component; their links are missing, so that those of their
            components are not stored.
    """
    apart = list(dismissed)
    # What a person decided about may be gone.
    pairs = [*links, *(pair for pair in (*joined, *apart) if families.keys() >= set(pair))]
    groups = [*families.values(), *({*families[one], *families[other]} for one, other in pairs)]
    components = linked_families(groups)
    number_of = {name: number for number, names in enumerate(components) for name in names}
    within: list[dict[Pair[str], float]] = [{} for _ in components]
    for texts, score in links.items():
        number = number_of.get(next(iter(families[texts[0]])))
        if number is not None:
            within[number][texts] = score
    lacking = {
        number_of.get(name) for pair in apart for text in pair for name in families.get(text, ())
    }
    for number, names in enumerate(components):
        yield Component(names, None if number in lacking else within[number])
