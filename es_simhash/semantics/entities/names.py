"""Names of entities: cleaned, and mentions of one name merged."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from es_simhash.semantics.extraction import Entity

MAX_NAME_LENGTH = 200

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Halves of characters, and marks that turn the direction of what is shown after them. Joiners
# stay: Persian words, Indic ligatures and emoji are written with them.
_HIDDEN = re.compile("[\ud800-\udfff\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def merge_mentions(mentions: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return one entity for all mentions of a name, ignoring case; counts are added.

    It has the most frequent spelling, and the most frequent label that is not empty.
    """
    groups: dict[str, list[Entity]] = defaultdict(list)
    for mention in mentions:
        groups[unicodedata.normalize("NFKC", mention.text).casefold()].append(mention)
    return tuple(map(_merged, groups.values()))


def _merged(mentions: Sequence[Entity]) -> Entity:
    spellings: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for mention in mentions:
        spellings[mention.text] += mention.count
        labels[mention.label] += mention.count
    del labels[""]
    return Entity(
        text=max(spellings, key=spellings.__getitem__),
        count=spellings.total(),
        spans=tuple(sorted({span for mention in mentions for span in mention.spans})),
        label=max(labels, key=labels.__getitem__, default=""),
    )


def clean_name(text: str) -> str:
    """Return a name on one line, without control characters, of at most 200 characters."""
    visible = _HIDDEN.sub("", _CONTROL.sub(" ", text))
    return " ".join(visible.split())[:MAX_NAME_LENGTH].rstrip()
