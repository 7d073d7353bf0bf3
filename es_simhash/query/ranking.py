"""Versions and neighbours of one query in one list, each document once."""

from collections.abc import Sequence
from dataclasses import replace

from es_simhash.query.diversity import without_copies
from es_simhash.query.neighbours import Neighbour
from es_simhash.query.options import SearchOptions, best_first
from es_simhash.relation.model import SHOWN_SCORE, VERSION_KINDS, Coverage, Relation, semantic_score

_Key = tuple[str | None, str | None]


def merged(
    judged: Sequence[Relation],
    neighbours: Sequence[Neighbour],
    options: SearchOptions,
) -> list[Relation]:
    """Return the relations that are wanted, best first.

    A version is not told again as a neighbour. A document that shares passages enough to be shown
    for them stays one that does, with the higher of both scores.

    Args:
        judged: Relations of the version candidates, those of kind `none` among them.
        neighbours: Documents near in meaning.
        asking: What to show.
    """
    versions: dict[_Key, Relation] = {(each.index, each.id): each for each in judged}
    semantic = []
    for neighbour in neighbours:
        key = neighbour.index, neighbour.id
        relation = _semantic(neighbour, options)
        present = versions.get(key)
        if present is not None and _stays(present, relation):
            score = present.score
            if present.kind not in VERSION_KINDS:
                score = max(score, relation.score)
            versions[key] = replace(present, score=score, semantics=neighbour.semantics)
            continue
        if present is not None:
            relation = replace(relation, coverage=present.coverage)
            del versions[key]
        semantic.append((relation, neighbour))
    return options.select([*versions.values(), *_told(semantic, options)])


def _semantic(neighbour: Neighbour, options: SearchOptions) -> Relation:
    score = semantic_score(neighbour.semantics.similarity)
    if options.recency is not None:
        score = round(score * options.recency.factor(neighbour.date), 4)
    return Relation(
        neighbour.id,
        "semantic",
        score,
        Coverage(0.0, 0.0),
        index=neighbour.index,
        semantics=neighbour.semantics,
    )


def _stays(relation: Relation, semantic: Relation) -> bool:
    """True when a relation found by passages is not told as a neighbour instead."""
    if relation.kind == "none":
        return False
    return relation.score >= SHOWN_SCORE or relation.score >= semantic.score


def _told(semantic: Sequence[tuple[Relation, Neighbour]], options: SearchOptions) -> list[Relation]:
    """Neighbours without those that are versions of one told before them."""
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
