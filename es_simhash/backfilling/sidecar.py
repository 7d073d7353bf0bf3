"""Relations of documents whose fingerprints lie in a second index."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import elasticsearch

from es_simhash import document
from es_simhash.backfilling.hits import INDEX, SOURCE
from es_simhash.backfilling.opening import sidecar_of
from es_simhash.cluster import missing_index, plain_errors, reason_of
from es_simhash.document import text_of
from es_simhash.errors import (
    ClusterError,
    DocumentMissing,
    IndexMissing,
    InputError,
    MappingConflict,
)
from es_simhash.evidence import read, shared_passages
from es_simhash.index import Index
from es_simhash.query import Asking, Limits
from es_simhash.relation import Answer, Relation
from es_simhash.scheme import Scheme

# Candidates a search gives at the most.
_MOST_CANDIDATES = 10_000
_WIDER = 10
# Ids a query names at once; twice as many hits are within `max_result_window`.
_MOST_IDS = 5_000
_RECORDED = f"{SOURCE}.{INDEX}"

Hit = Mapping[str, Any]


class SidecarIndex:
    """An index whose fingerprints `backfill` wrote into a sidecar.

    It answers as `Index` does. Candidates are found in the sidecar; texts, fields and filters are
    those of the first index, and what was deleted there is not related to anything. The
    constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the sidecar.
        source: Name of the first index; by default the one the sidecar was made for.
        text_field: Field of the text in the first index; dots lead into objects.
        field: Name of our object in the sidecar.
        scheme: Scheme of the sidecar; by default it is read from the mapping, once.
    """

    def __init__(
        self,
        client: elasticsearch.Elasticsearch,
        name: str,
        *,
        source: str | None = None,
        text_field: str = "text",
        field: str = document.DEFAULT_FIELD,
        scheme: Scheme | None = None,
    ) -> None:
        self.client = client
        self.name = name
        self.text_field = text_field
        self._source = source
        self._sidecar = Index(client, name, text_field=text_field, field=field, scheme=scheme)

    def __repr__(self) -> str:
        return f"SidecarIndex({self.name!r}, source={self._source!r})"

    @property
    def scheme(self) -> Scheme:
        """The scheme of the sidecar."""
        return self._sidecar.scheme

    @property
    def source(self) -> str:
        """Name of the first index, read from the mapping of the sidecar once.

        Raises:
            MappingConflict: The index is no sidecar.
        """
        if self._source is None:
            self._source = sidecar_of(self.client, self.name, self._sidecar.field)
        if self._source is None:
            raise MappingConflict(
                f"Index {self.name!r} is no sidecar; make one with "
                f"`es-simhash backfill INDEX --sidecar {self.name}`."
            )
        return self._source

    def related(
        self, *, id: str | None = None, text: str | None = None, asking: Asking | None = None
    ) -> Answer:
        """Give the documents related to a stored document or to a text, best first.

        Raises:
            DocumentMissing: There is no document of that id in the first index.
            InputError: Both or neither of id and text are given, or the document has no text.
        """
        if (id is None) == (text is None):
            raise InputError("Give either an id or a text to find what is related to it.")
        asked = self._text(id) if id is not None else text
        assert asked is not None
        return self._related(asked, id, asking or Asking())

    def related_to_each(
        self, ids: Sequence[str], *, asking: Asking | None = None
    ) -> dict[str, Answer]:
        """Give what is related to each of many stored documents.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        return {id: self.related(id=id, asking=asking) for id in ids}

    def _text(self, id: str) -> str:
        hits = self._hits([id], (), [self.text_field])
        if not hits:
            raise DocumentMissing(f"Document {id!r} is not in index {self.source!r}; check the id.")
        if len(hits) > 1:
            raise ClusterError(
                f"Document {id!r} is in several indices behind {self.source!r} "
                f"({hits[0]['_index']}, {hits[1]['_index']}); ask one of them."
            )
        found = text_of(hits[0].get("_source", {}), self.text_field)
        if found is None:
            raise InputError(
                f"Document {id!r} has no text in field {self.text_field!r}; "
                "name the field with --field."
            )
        return found

    def _related(self, text: str, id: str | None, asking: Asking) -> Answer:
        """Ask the sidecar, more widely where the filters leave little of a cut answer."""
        _ = self.source  # an index that is no sidecar is refused, even when nothing is found
        limits = asking.limits
        found = self._found(text, id, asking, limits)
        while found.truncated and len(found) < asking.size and limits.candidates < _MOST_CANDIDATES:
            most = min(limits.candidates * _WIDER, _MOST_CANDIDATES)
            limits = replace(limits, candidates=most)
            found = self._found(text, id, asking, limits)
        shown = asking.select(found)
        if asking.evidence or asking.fields:
            shown = self._completed(shown, text, asking)
        return Answer(shown, truncated=found.truncated)

    def _found(self, text: str, id: str | None, asking: Asking, limits: Limits) -> Answer:
        """Give all that the sidecar relates, where the first index has it and the filters match."""
        everything = replace(
            asking,
            size=2 * limits.candidates + 1,
            filters=(),
            evidence=False,
            fields=(_RECORDED,),
            limits=limits,
        )
        answer = self._sidecar.related(text=text, asking=everything)
        others = [each for each in answer if each.id != id]
        hits = self._matching(others, asking)
        located = [
            replace(each, index=hits[each.id]["_index"], source={})
            for each in others
            if each.id in hits
        ]
        return Answer(located, truncated=answer.truncated)

    def _matching(self, relations: Sequence[Relation], asking: Asking) -> dict[str | None, Hit]:
        """Give the documents of the first index that match the filters, by their ids.

        One that has moved to another index behind the name, as after a reindex, is taken there;
        of several with one id the one that the sidecar recorded.
        """
        recorded = {each.id: each.source.get(SOURCE, {}).get(INDEX) for each in relations}
        found: dict[str | None, Hit] = {}
        for hit in self._hits([str(id) for id in recorded], asking.filters, False):
            id = hit["_id"]
            if id not in found or hit["_index"] == recorded[id]:
                found[id] = hit
        return found

    def _completed(
        self, relations: Sequence[Relation], text: str, asking: Asking
    ) -> list[Relation]:
        """Add fields and evidence, from the first index."""
        ids = [str(each.id) for each in relations]
        fields = self._sources(ids, asking.fields)
        texts = self._sources(ids, [self.text_field] if asking.evidence else [])
        ours = read(text, self.scheme) if texts else None
        complete = []
        for each in relations:
            key = each.index, each.id
            theirs = None
            # The user may have written anything there since; it is shown without evidence.
            with suppress(InputError):
                theirs = text_of(texts.get(key, {}), self.text_field)
            evidence = each.evidence
            if ours is not None and theirs is not None:
                evidence = shared_passages(ours, read(theirs, self.scheme))
            complete.append(replace(each, evidence=evidence, source=fields.get(key, {})))
        return complete

    def _sources(
        self, ids: Sequence[str], wanted: Sequence[str]
    ) -> dict[tuple[str | None, str | None], dict[str, Any]]:
        if not wanted:
            return {}
        hits = self._hits(ids, (), list(wanted))
        return {(hit["_index"], hit["_id"]): hit.get("_source", {}) for hit in hits}

    def _hits(
        self, ids: Sequence[str], filters: Sequence[Mapping[str, Any]], wanted: Any
    ) -> list[Hit]:
        """Find documents of the first index by their ids."""
        searches: list[Mapping[str, Any]] = []
        for start in range(0, len(ids), _MOST_IDS):
            some = list(ids[start : start + _MOST_IDS])
            conditions = [{"ids": {"values": some}}, *filters]
            size = 2 * len(some)
            searches += [{}, {"query": {"bool": {"filter": conditions}}, "size": size,
                              "_source": wanted}]  # fmt: skip
        if not searches:
            return []
        with plain_errors(self.client):
            answer = self.client.msearch(index=self.source, searches=searches)
        hits: list[Hit] = []
        for response in answer["responses"]:
            error = response.get("error", {})
            if error.get("type") == "index_not_found_exception":
                raise IndexMissing(missing_index(self.source))
            if error:
                raise ClusterError(f"The search is refused: {reason_of(error)}.")
            hits += response["hits"]["hits"]
        return hits
