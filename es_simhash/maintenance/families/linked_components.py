"""The families that a run over what changed leaves linked, with the links between their texts."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from es_simhash.pairs.merging import Pair
from es_simhash.pairs.text_links import Links
from es_simhash.store.installation.family_components import Component, linked_families


def linked_components(
    families: Mapping[str, Collection[str]],
    links: Links,
    joined: Iterable[Pair[str]],
    apart: Iterable[str],
) -> Iterator[Component]:
    """Yield the components that have several families.

    Args:
        families: Of each text the names of those that its documents have, one at least.
        links: Scores of the pairs of texts that are linked.
        joined: Pairs of texts that a person joined.
        apart: Texts of dismissed pairs: their links may be missing, so that those of their
            components are not stored.
    """
    # What was joined may be gone.
    pairs = [*links, *(pair for pair in joined if families.keys() >= set(pair))]
    groups = [*families.values(), *({*families[one], *families[other]} for one, other in pairs)]
    components = linked_families(groups)
    number_of = {name: number for number, names in enumerate(components) for name in names}
    within: list[dict[Pair[str], float]] = [{} for _ in components]
    for texts, score in links.items():
        number = number_of.get(next(iter(families[texts[0]])))
        if number is not None:
            within[number][texts] = score
    lacking = {number_of.get(name) for text in apart for name in families.get(text, ())}
    for number, names in enumerate(components):
        yield Component(names, None if number in lacking else within[number])
