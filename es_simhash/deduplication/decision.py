"""What was decided for one document, and the documents decisions are about."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from es_simhash.bulk.documents import loads, splice
from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.model import Relation
from es_simhash.storage import fields
from es_simhash.storage.source import text_of

# The longest length `simhash.chunks` keeps; texts in memory must be judged like stored ones.
_LONGEST = 0xFFFF
_DIGITS = 16


@dataclass(frozen=True)
class Known:
    """A document that others may be versions of.

    Attributes:
        id: Its id.
        content_hash: Of its text.
        passages: Its passages, ascending.
        chunks: Its chunk fingerprints.
        index: Index it was found in; None when this run writes it.
        moment: Its date; None without one.
        family: Its family; None without one.
        order: Its place among those that were written.
        text: Its text; None when it was not read.
    """

    id: str
    content_hash: str
    shingles: NDArray[np.uint32]
    chunks: ChunkFingerprints
    index: str | None = None
    moment: float | None = None
    family: str | None = None
    order: int = 0
    text: str | None = None

    @cached_property
    def content(self) -> AnalysedText | None:
        """The document as families compare it; None without its text."""
        if self.text is None:
            return None
        return AnalysedText.of_parts(self.content_hash, self.shingles, self.chunks, self.text)

    @property
    def characters(self) -> int:
        """Length of its text."""
        return int(self.chunks.characters.sum())

    @property
    def own_family(self) -> str:
        """The name of its family when it has none yet; `families` names them the same way."""
        return self.family or self.content_hash[:_DIGITS]


@dataclass(frozen=True)
class Item:
    """A document that is to be decided.

    Attributes:
        id: Its id.
        place: Its number in the batch.
        prints: Fingerprints of its text.
        source: Its JSON, without id and our object.
        simhash: Our object, as JSON.
        exists: True when the index has a document of this id.
        text_field: Field of its text.
        date_field: Field of its date; None when dates do not matter.
    """

    id: str
    place: int
    prints: TextFingerprints
    source: bytes
    simhash: bytes
    exists: bool = False
    text_field: str = "text"
    date_field: str | None = None

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The document, parsed."""
        fields: dict[str, Any] = loads(self.source.decode())
        return fields

    @cached_property
    def moment(self) -> float | None:
        """Its date; None without one."""
        return None if self.date_field is None else moment_of(self.fields, self.date_field)

    @cached_property
    def known(self) -> Known:
        """The document as others are compared with it."""
        stored = ChunkFingerprints.of(self.prints)
        chunks = ChunkFingerprints(
            stored.fingerprints, np.minimum(stored.characters, _LONGEST), stored.shingle_counts
        )
        return Known(
            self.id,
            self.prints.content_hash,
            self.prints.shingles,
            chunks,
            moment=self.moment,
            text=text_of(self.fields, self.text_field),
        )


def moment_of(fields: dict[str, Any], name: str) -> float | None:
    """Return the date of a document in seconds: a number is milliseconds, a string ISO 8601."""
    value: Any = fields.get(name)
    if name not in fields:
        value = fields
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value / 1000
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.timestamp()


@dataclass(frozen=True)
class Decision:
    """What was decided for one document.

    Attributes:
        id: Of the document.
        action: `write` it as it is, `skip` it, `flag` it, `link` it, or `replace` the other by it.
        relation: How it is related to the other; None when it is a version of nothing.
        other: Id of the document it is a version of; None without one.
        family: Family it gets, for `link`.
        kept: Why one of the two was kept, for `replace`.
        item: The document.
        target: The other document.
        superseded: Id of the document of the same batch that replaces it, so that it need not be
            written at all; None otherwise.
        exists: True when the index has a document of this id.
    """

    id: str
    action: Literal["write", "skip", "flag", "link", "replace"]
    relation: Relation | None = None
    other: str | None = None
    family: str | None = None
    kept: str | None = None
    item: Item = field(repr=False, compare=False, kw_only=True)
    target: Known | None = field(default=None, repr=False, compare=False, kw_only=True)
    superseded: str | None = field(default=None, repr=False, compare=False, kw_only=True)
    exists: bool = field(default=False, repr=False, compare=False, kw_only=True)

    @property
    def writes(self) -> bool:
        """False when the document is not written."""
        return self.action != "skip" and self.superseded is None

    @property
    def told(self) -> str | None:
        """One sentence about it; None when there is nothing to tell."""
        if self.superseded is not None:
            return f"Replaced by {self.superseded!r} before it was written."
        if self.relation is None:
            return None
        what = {
            "write": "Written, as the index had a document of this id",
            "skip": "Left out",
            "flag": "Flagged",
            "link": f"Linked as family {self.family}",
            "replace": f"Written in place of {self.other!r}",
        }[self.action]
        kind = "copy" if self.relation.kind == "exact" else self.relation.kind
        return f"{what}: {kind} of {self.other!r}, score {self.relation.score:.2f}."

    @property
    def marks(self) -> dict[str, Any]:
        """Members that our object of the document gets."""
        if self.action not in ("flag", "link") or self.relation is None:
            return {} if self.family is None else {fields.FAMILY: self.family}
        marks: dict[str, Any] = {
            fields.DUPLICATE_OF: self.other,
            fields.DUPLICATE_SCORE: self.relation.score,
        }
        return marks if self.family is None else {**marks, fields.FAMILY: self.family}

    def source(self, simhash_field: str) -> bytes:
        """Return the JSON of the document as it is written."""
        simhash = self.item.simhash
        if self.marks:
            simhash = b"%b,%b" % (simhash[:-1], json.dumps(self.marks).encode()[1:])
        return splice(self.item.source, json.dumps(simhash_field).encode(), simhash)

    def to_write(self, simhash_field: str = fields.DEFAULT_FIELD) -> dict[str, Any]:
        """Return the document to write, with its fingerprints and marks, for a bulk of your own."""
        fields: dict[str, Any] = loads(self.source(simhash_field).decode())
        return fields
