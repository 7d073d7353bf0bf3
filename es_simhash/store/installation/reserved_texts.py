"""Texts that writers have reserved: small documents of the state index."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from es_simhash.errors import ClusterError
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store.elasticsearch.bulk import CONFLICT, Action
from es_simhash.store.elasticsearch.documents import get_all
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.hits import conditions_of, version_of
from es_simhash.store.installation.state_index import StateIndex

_KIND = "reservation"
_TEXTS_PER_PAGE = 1000


@dataclass(frozen=True)
class ReservedText:
    """A text that is reserved for one document, until that is there.

    Attributes:
        content_hash: Of the text.
        holder: Where the document will be.
        run: Id of the run that writes it.
        at: When it was reserved, in milliseconds since 1970.
        version: In which version this was read; None for what is not stored yet.
    """

    content_hash: str
    holder: DocumentRef
    run: str
    at: int
    version: DocumentVersion | None = field(default=None, compare=False)


class ReservedTexts:
    """The reservations for one field of an index.

    Args:
        gateway: Sends the requests.
        index: Name of the state index; it exists.
        simhash_field: The field.
    """

    def __init__(self, gateway: Gateway, index: str, simhash_field: str) -> None:
        self._gateway = gateway
        self._index = index
        self._field = simhash_field

    @classmethod
    def of(cls, state: StateIndex) -> "ReservedTexts":
        """Return the reservations that a state index has."""
        return cls(state.gateway, state.name, state.field)

    def create(self, texts: Iterable[ReservedText]) -> list[str]:
        """Reserve texts; return the hashes of those that are reserved already.

        Raises:
            ClusterError: A reservation is rejected.
        """
        hashes = []
        actions = []
        for text in texts:
            hashes.append(text.content_hash)
            actions.append([{"create": {"_id": self._id(text.content_hash)}}, self._source(text)])
        taken = []
        for content_hash, result in zip(hashes, self._write(actions), strict=True):
            if result["status"] == CONFLICT:
                taken.append(content_hash)
            elif "error" in result:
                raise ClusterError(
                    f"Cannot write a reservation to index {self._index!r}: {reason_of(result)}. "
                    "Check the privileges."
                )
        return taken

    def read(self, hashes: Sequence[str]) -> dict[str, ReservedText]:
        """Return the reservations of texts, by their hashes; released ones are left out."""
        refs = [DocumentRef(self._index, self._id(content_hash)) for content_hash in hashes]
        entries = zip(hashes, self._gateway.run(get_all(refs)), strict=True)
        return {hash: _reserved(entry) for hash, entry in entries if entry.get("found")}

    def take_over(self, pairs: Iterable[tuple[ReservedText, ReservedText]]) -> set[str]:
        """Write reservations in place of others that were read.

        Args:
            pairs: What was read, and what is written; of the same text.

        Returns:
            The hashes of those that were written: with the others another run was quicker.
        """
        hashes, actions = [], []
        for stored, text in pairs:
            assert stored.version is not None, "it was not read"
            head = {"_id": self._id(text.content_hash), **conditions_of(stored.version)}
            hashes.append(text.content_hash)
            actions.append([{"index": head}, self._source(text)])
        results = zip(hashes, self._write(actions), strict=True)
        return {content_hash for content_hash, result in results if result["status"] < 300}

    def release(self, hashes: Iterable[str], run: str) -> None:
        """Delete the reservations that a run has of texts.

        A request that is sent again, as its answer was lost, must not delete what another run has
        reserved meanwhile.
        """
        stored = self.read(list(hashes))
        self.forget(text for text in stored.values() if text.run == run)

    def before(self, bound: int) -> Iterator[ReservedText]:
        """Yield what was reserved before a time, by whichever run."""
        conditions = [
            {"term": {"kind": _KIND}},
            {"term": {"field": self._field}},
            {"range": {"at": {"lt": bound}}},
        ]
        body = {
            "size": _TEXTS_PER_PAGE,
            "seq_no_primary_term": True,
            "query": {"bool": {"filter": conditions}},
        }
        # Old ones can be searched without a refresh.
        hits = self._gateway.pages(self._index, body, must_refresh=False)
        yield from map(_reserved, hits)

    def forget(self, texts: Iterable[ReservedText]) -> None:
        """Delete reservations that nobody has changed since they were read."""
        self._write(
            [
                [{"delete": {"_id": self._id(text.content_hash), **conditions_of(text.version)}}]
                for text in texts
                if text.version is not None
            ]
        )

    def _write(self, actions: Sequence[Action]) -> list[Mapping[str, Any]]:
        return self._gateway.bulk(actions, index=self._index)

    def _id(self, content_hash: str) -> str:
        key = f"{_KIND}\0{self._field}\0{content_hash}"
        return hashlib.sha256(key.encode()).hexdigest()[:32]

    def _source(self, text: ReservedText) -> dict[str, Any]:
        return {
            "kind": _KIND,
            "field": self._field,
            "ids": [text.holder.id],
            "routing": text.holder.routing,
            "run": text.run,
            "content_hash": text.content_hash,
            "at": text.at,
        }


def _reserved(entry: Mapping[str, Any]) -> ReservedText:
    source = entry["_source"]
    holder = DocumentRef(None, str(source["ids"][0]), source.get("routing"))
    version = version_of(entry)
    return ReservedText(
        str(source["content_hash"]), holder, str(source["run"]), int(source["at"]), version
    )
