"""Ranking: versions and neighbours of one query in one list, each document once."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from es_simhash.query.diversity import without_copies
from es_simhash.query.neighbours import Neighbour
from es_simhash.query.options import SearchOptions, best_first
from es_simhash.relation.combination import combine, semantic_relation
from es_simhash.relation.model import Relation

_Key = tuple[str | None, str | None]


def ranked(
    by_shingles: Sequence[Relation],
    neighbours: Sequence[Neighbour],
    options: SearchOptions,
    dismissed: Collection[str] = (),
) -> list[Relation]:
    """Return the relations to show, best first.

    Args:
        by_shingles: Relations of the candidates for versions, those of kind `none` among them.
        neighbours: Documents near in meaning.
        options: What to show.
        dismissed: Ids of documents that a person dismissed as versions of the query.
    """
    versions: dict[_Key, Relation] = {
        (relation.index, relation.id): relation for relation in by_shingles
    }
    semantic = []
    for neighbour in neighbours:
        key = neighbour.index, neighbour.id
        relation = _semantic(neighbour, options)
        if key in versions:
            relation = combine(versions[key], relation)
        if relation.kind == "semantic":
            versions.pop(key, None)
            semantic.append((relation, neighbour))
        else:
            versions[key] = relation
    relations = [*versions.values(), *_without_copies(semantic, options)]
    # Before the cut, so that others take the places of those that are left out.
    return options.select(
        [
            replace(relation, dismissed=True) if relation.id in dismissed else relation
            for relation in relations
        ]
    )


def _semantic(neighbour: Neighbour, options: SearchOptions) -> Relation:
    recency = options.recency
    factor = 1.0 if recency is None else recency.factor(neighbour.date)
    return semantic_relation(neighbour.id, neighbour.index, neighbour.semantics, factor=factor)


def _without_copies(
    semantic: Sequence[tuple[Relation, Neighbour]], options: SearchOptions
) -> list[Relation]:
    """Return neighbours without those that are versions of one shown before them."""
    wanted = [pair for pair in semantic if options.shows(pair[0])]
    pairs = sorted(wanted, key=lambda pair: best_first(pair[0]))
    if not options.collapse:
        return [relation for relation, _ in pairs]
    return without_copies(
        [relation for relation, _ in pairs],
        [neighbour.chunks for _, neighbour in pairs],
        [neighbour.family for _, neighbour in pairs],
        options.size,
    )
