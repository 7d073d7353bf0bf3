"""The search for candidates of a method by the block keys of a text, and what its hits are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import chain
from typing import Any, Literal

import numpy as np

from es_simhash.errors import InputError
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import search_conditions
from es_simhash.store.fields import BLOCKS, FINGERPRINT, SCHEME
from es_simhash.store.indexed_methods import IndexedMethod, Keys, MethodFingerprints, Rows
from es_simhash.store.method_codec import stored_rows
from es_simhash.store.options import Query, SearchOptions

# Keys with a clause of their own; the engine takes at least 1,024 clauses.
_MAX_SCORED = 900
# Terms of one clause, as the engine takes them by default.
_MAX_TERMS = 65_536
# Options that a search by a method has; of the others only those that it may ignore are not named.
_USED = ("size", "min_score", "filters", "fields", "limits", "offset", "exclude")
_IGNORED = ("evidence", "passages", "collapse", "context")


@dataclass(frozen=True)
class MethodEvidence:
    """What the score of a method is computed from.

    Attributes:
        scheme: Published name of the scheme of the fingerprints.
        distance: Units in which the fingerprints differ.
        units: Units that were compared; the score is 1 - distance / units.
        unit: What they are: bits of a fingerprint, values of a signature, or sentences of the text
            that has fewer.
    """

    scheme: str
    distance: int
    units: int
    unit: str


@dataclass(frozen=True)
class MethodRelation:
    """A document that a method finds for a query.

    Attributes:
        id: Of the hit.
        kind: `version` from the threshold of the method on, else `none`.
        score: Of the method, from 0 to 1.
        method: Name of the method.
        evidence: What the score is computed from.
        index: Index of the hit.
        source: Requested fields of the hit.
    """

    id: str
    kind: Literal["version", "none"]
    score: float
    method: str
    evidence: MethodEvidence
    index: str | None = None
    source: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the relation as it is printed in JSON."""
        return asdict(self)


@dataclass(frozen=True)
class MethodAnswer:
    """What a method finds for one query.

    Attributes:
        relations: The documents, best first.
        total: Documents with at least the minimum score, of which these are a page.
        truncated: True when the limit cut the candidates: those that share the rarest blocks with
            the query were scored.
    """

    relations: tuple[MethodRelation, ...] = ()
    total: int = 0
    truncated: bool = False


def require_method_options(options: SearchOptions) -> None:
    """Reject options that say something about the scheme of the index alone.

    Raises:
        InputError: One is set.
    """
    defaults = SearchOptions()
    for option in fields(options):
        name = option.name
        if name in (*_USED, *_IGNORED) or getattr(options, name) == getattr(defaults, name):
            continue
        raise InputError(
            f"{name} has no effect on a search by a method; omit it.",
            parameter=None if name == "family" else name,
        )


def method_search(
    keys: Keys,
    config: IndexConfig,
    scheme: AddedScheme,
    options: SearchOptions,
    exclude_ids: Sequence[str],
) -> dict[str, Any]:
    """Return the body of the search for documents that share a block key with a text.

    Args:
        keys: Block keys of each fingerprint of the text.
        config: Of the index.
        scheme: Of the fingerprints.
        options: Filters, and how many candidates.
        exclude_ids: Documents to leave out, such as the query itself.
    """
    path = config.path(scheme.member(SCHEME))
    conditions = search_conditions(path, scheme.name, options, exclude_ids)
    blocks = config.path(scheme.member(BLOCKS))
    should = list(_clauses(sorted(set(chain.from_iterable(keys))), blocks))
    return {
        "size": options.limits.candidates,
        "_source": False,
        "docvalue_fields": [config.path(scheme.member(FINGERPRINT))],
        "track_total_hits": options.limits.candidates + 1,
        "query": {"bool": {"filter": conditions, "should": should, "minimum_should_match": 1}},
    }


def _clauses(keys: Sequence[str], path: str) -> Iterator[Query]:
    """Yield clauses that match any of the keys; where the limit cuts, rare ones decide.

    Where there are too many for a clause each, some are scored, evenly chosen, and the others match
    alone.
    """
    step = -(-len(keys) // _MAX_SCORED)
    # A term's own score is its rarity in the index.
    yield from ({"term": {path: key}} for key in keys[::step])
    rest = [key for place, key in enumerate(keys) if place % step]
    for start in range(0, len(rest), _MAX_TERMS):
        some = {"terms": {path: rest[start : start + _MAX_TERMS]}}
        yield {"constant_score": {"filter": some, "boost": 0}}


def read_method_hits(
    answer: Mapping[str, Any],
    own: Rows,
    config: IndexConfig,
    method: IndexedMethod,
    options: SearchOptions,
) -> MethodAnswer:
    """Return what a method makes of the hits of `method_search`: its own candidates and scores.

    Args:
        answer: To the search.
        own: Rows of the text.
        config: Of the index.
        method: The method.
        options: Minimum score, and which page; without a minimum score, the threshold is one.
    """
    hits = answer["hits"]["hits"]
    path = config.path(AddedScheme(method.name, method.scheme.name).member(FINGERPRINT))
    features = method.scheme.restore([own, *(stored_rows(hit, path, method) for hit in hits)])
    relations = list(_relations(hits, features, method))
    least = method.threshold if options.min_score is None else options.min_score
    wanted = sorted(
        (relation for relation in relations if relation.score >= least),
        key=lambda relation: (-relation.score, relation.id, relation.index or ""),
    )
    truncated = answer["hits"]["total"]["value"] > options.limits.candidates
    return MethodAnswer(tuple(wanted[options.offset : options.end]), len(wanted), truncated)


def _relations(
    hits: Sequence[Mapping[str, Any]], features: MethodFingerprints, method: IndexedMethod
) -> Iterator[MethodRelation]:
    others = features.candidates_of(0)
    query = np.zeros_like(others)
    scores = features.score(query, others).tolist()
    units = features.units(query, others).tolist()
    for number, score, count in zip(others.tolist(), scores, units, strict=True):
        distance = round((1 - score) * count)
        yield MethodRelation(
            id=hits[number - 1]["_id"],
            kind="version" if score >= method.threshold else "none",
            score=score,
            method=method.name,
            evidence=MethodEvidence(method.scheme.name, distance, count, features.unit),
            index=hits[number - 1]["_index"],
        )
