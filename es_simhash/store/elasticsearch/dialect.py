"""What differs between search engines: mappings, candidate queries, and reading their hits."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.store import resources
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.candidates import joined_queries, related_query, shared_queries
from es_simhash.store.elasticsearch.hits import (
    Candidates,
    JoinedSearches,
    read_candidates,
    read_joined,
)
from es_simhash.store.elasticsearch.neighbours import neighbour_query, read_neighbours
from es_simhash.store.neighbour import Neighbour
from es_simhash.store.options import SearchOptions


class Dialect(JoinedSearches, Protocol):
    """How one search engine stores the `simhash` object and is asked about it.

    Another engine is another object of this kind; nothing else builds mappings or candidate
    queries.
    """

    def mapping(self, config: IndexConfig) -> dict[str, Any]:
        """Return the body of the request that adds the `simhash` object to a mapping."""

    def candidate_searches(
        self,
        fingerprints: TextFingerprints,
        config: IndexConfig,
        options: SearchOptions,
        exclude_ids: Sequence[str],
    ) -> list[dict[str, Any]]:
        """Return the bodies of the searches for versions and shared passages."""

    def neighbour_searches(
        self,
        profile: SemanticProfile,
        config: IndexConfig,
        options: SearchOptions,
        exclude_ids: Sequence[str],
    ) -> list[dict[str, Any]]:
        """Return the bodies of the searches for semantic neighbours; none without a profile."""

    def read_candidates(
        self,
        answers: Sequence[Mapping[str, Any]],
        fingerprints: TextFingerprints,
        neighbours: Sequence[Neighbour],
        config: IndexConfig,
        options: SearchOptions,
    ) -> Candidates:
        """Return the candidates that `candidate_searches` found, and the neighbours."""

    def shared_searches(
        self, fingerprints: TextFingerprints, config: IndexConfig, ids: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return the bodies of the searches for what documents share with a text."""

    def read_neighbours(
        self,
        answers: Sequence[Mapping[str, Any]],
        profile: SemanticProfile,
        config: IndexConfig,
        options: SearchOptions,
    ) -> list[Neighbour]:
        """Return the neighbours that `neighbour_searches` found."""


class ElasticsearchDialect:
    """Elasticsearch 8 and 9: bit vectors, sparse vectors, named queries with scores."""

    def mapping(self, config: IndexConfig) -> dict[str, Any]:
        """Return the body of the request that adds the `simhash` object to a mapping."""
        return resources.mapping(
            config.scheme, config.simhash_field, config.semantics, config.schemes
        )

    def candidate_searches(
        self,
        fingerprints: TextFingerprints,
        config: IndexConfig,
        options: SearchOptions,
        exclude_ids: Sequence[str],
    ) -> list[dict[str, Any]]:
        """Return two searches: shared shingles, and document fingerprints within k bits."""
        return related_query(
            fingerprints,
            options=options,
            simhash_field=config.simhash_field,
            exclude_ids=exclude_ids,
        )

    def neighbour_searches(
        self,
        profile: SemanticProfile,
        config: IndexConfig,
        options: SearchOptions,
        exclude_ids: Sequence[str],
    ) -> list[dict[str, Any]]:
        """Return one search by vector and concepts; none without a profile."""
        if config.semantics is None or profile.is_empty:
            return []
        return [
            neighbour_query(
                profile,
                config.semantics,
                options=options,
                simhash_field=config.simhash_field,
                exclude_ids=exclude_ids,
            )
        ]

    def read_candidates(
        self,
        answers: Sequence[Mapping[str, Any]],
        fingerprints: TextFingerprints,
        neighbours: Sequence[Neighbour],
        config: IndexConfig,
        options: SearchOptions,
    ) -> Candidates:
        """Return the candidates that `candidate_searches` found, and the neighbours."""
        return read_candidates(
            answers,
            fingerprints,
            neighbours,
            limits=options.limits,
            simhash_field=config.simhash_field,
        )

    def shared_searches(
        self, fingerprints: TextFingerprints, config: IndexConfig, ids: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return the bodies of the searches for what documents share with a text."""
        return shared_queries(fingerprints, config.simhash_field, ids)

    def joined_searches(
        self,
        fingerprints: TextFingerprints,
        config: IndexConfig,
        options: SearchOptions,
        ids: Sequence[str],
    ) -> list[dict[str, Any]]:
        """Return the bodies of the searches for candidates by their ids."""
        return joined_queries(fingerprints, options, config.simhash_field, ids)

    def read_joined(
        self,
        answer: Mapping[str, Any],
        fingerprints: TextFingerprints,
        candidates: Candidates,
        config: IndexConfig,
    ) -> None:
        """Add what `joined_searches` found to the candidates."""
        read_joined(answer, fingerprints, candidates, config.simhash_field)

    def read_neighbours(
        self,
        answers: Sequence[Mapping[str, Any]],
        profile: SemanticProfile,
        config: IndexConfig,
        options: SearchOptions,
    ) -> list[Neighbour]:
        """Return the neighbours that `neighbour_searches` found."""
        if config.semantics is None:
            return []
        return [
            neighbour
            for answer in answers
            for neighbour in read_neighbours(
                answer,
                profile,
                config.semantics,
                options=options,
                simhash_field=config.simhash_field,
            )
        ]


ELASTICSEARCH: Dialect = ElasticsearchDialect()
