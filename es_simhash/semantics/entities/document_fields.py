"""Entities that are already in a document: the user's own fields, or what an upstream NER wrote.

Nothing in a document is trusted. Names lose their control characters and are cut at 200
characters: one long name must not cost the document, and no index term gets longer than that.
Offsets are checked against the text where it is given.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.semantics.extraction import Entity, Spans

LONGEST_NAME = 200
# More mentions than a text has: a greater number is a mistake, or wants to outweigh the rest.
MOST_MENTIONS = 1_000_000

# In the order in which they are looked for. In what a token classifier of Hugging Face writes
# "entity" is the label, beside "word"; with Elasticsearch it is the name.
_TEXT_KEYS = ("text", "name", "value", "word", "entity")
_LABEL_KEYS = ("label", "type", "entity_group", "class_name", "class", "entity")
_START_KEYS = ("start", "start_pos", "start_char")
_END_KEYS = ("end", "end_pos", "end_char")
_LIST_KEYS = ("entities", "ents")
# B-PER, I-PER, ...: the place in the name and the label, one entry for each word piece.
_PIECE = re.compile(r"([BILESU])-(\w+)")
_INSIDE = "ILE"
_PIECE_MARKS = "#▁Ġ"

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Halves of characters, and marks that turn the direction of what is shown after them. Joiners
# stay: Persian words, Indic ligatures and emoji are written with them.
_HIDDEN = re.compile("[\ud800-\udfff\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def upstream_entities(
    source: Mapping[str, Any], fields: Sequence[str], *, text: str | None = None
) -> tuple[Entity, ...]:
    """Return the entities that fields of a document hold, each once.

    A field is a dotted path through objects and lists, or a key that has dots itself. It holds a
    name, an object with one (as text, name, value, word or entity; perhaps also label, type,
    entity_group, class_name or class; start and end; count), or lists of these: so also what
    Elasticsearch's NER inference, spaCy's `Doc.to_json` and Hugging Face's token classification
    write. Absent, null and empty fields give nothing.

    Args:
        source: The document.
        fields: Where its entities are.
        text: What offsets point into, in characters or in UTF-16 units as Java counts; those at
            which the name does not stand are dropped. Without it they are kept as they are.

    Raises:
        InputError: A field holds something else.
    """
    mentions = [mention for field in fields for mention in _read_field(source, field)]
    return join_mentions(mentions if text is None else _checked(mentions, text))


def join_mentions(mentions: Iterable[Entity]) -> tuple[Entity, ...]:
    """Make one entity of all mentions of a name, whatever their case; counts are added.

    It has the most frequent spelling, and the most frequent label that is not empty.
    """
    groups: dict[str, list[Entity]] = defaultdict(list)
    for mention in mentions:
        groups[unicodedata.normalize("NFKC", mention.text).casefold()].append(mention)
    return tuple(map(_joined, groups.values()))


def _joined(mentions: Sequence[Entity]) -> Entity:
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
    return " ".join(visible.split())[:LONGEST_NAME].rstrip()


def _read_field(source: Mapping[str, Any], field: str) -> list[Entity]:
    try:
        mentions = [
            mention
            for value, holder in _at(source, field, field)
            for mention in _whole_names(_mentions(value, holder, field))
        ]
    except RecursionError:
        raise InputError(
            f"Field {field!r} holds lists nested too deeply to read; a list of names is expected."
        ) from None
    cleaned = [replace(each, text=clean_name(each.text)) for each in mentions]
    return [each for each in cleaned if each.text]


def _at(node: Any, path: str, field: str) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Values under a dotted path, each with the object that holds it."""
    if isinstance(node, list | tuple):
        for each in node:
            yield from _at(each, path, field)
    elif isinstance(node, Mapping):
        if path in node:
            yield node[path], node
        parts = path.split(".")
        for count in range(1, len(parts)):
            inner = node.get(".".join(parts[:count]))
            yield from _at(inner, ".".join(parts[count:]), field)
    elif node is not None:
        raise _wrong(field, node, f"an object with {path!r} in it")


def _mentions(value: Any, holder: Mapping[str, Any], field: str) -> Iterator[Entity]:
    if isinstance(value, str):
        yield Entity(value)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _mentions(each, holder, field)
    elif isinstance(value, Mapping):
        inside = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)), None)
        if inside is None:
            yield _of_object(value, holder, field)
        else:
            yield from _mentions(inside, value, field)
    elif value is not None:
        raise _wrong(field, value, "a name, an object with one, or a list of these")


def _of_object(value: Mapping[str, Any], holder: Mapping[str, Any], field: str) -> Entity:
    key = _first(value, _TEXT_KEYS)
    name = value[key] if key else _cut_out(value, holder)
    if not isinstance(name, str):
        raise _wrong(field, value, f"a string under one of {', '.join(_TEXT_KEYS)}")
    label_key = _first(value, [each for each in _LABEL_KEYS if each != key])
    label = value[label_key] if label_key else ""
    if not isinstance(label, str):
        raise _wrong(field, value, f"a string under {label_key!r}")
    start, end = (_integer(value, keys, field) for keys in (_START_KEYS, _END_KEYS))
    spans = ((start, end),) if start is not None and end is not None and 0 <= start < end else ()
    count = _integer(value, ("count",), field)
    if count is not None and count < 1:
        raise _wrong(field, value, "a 'count' from 1 up")
    return Entity(name, min(count or 1, MOST_MENTIONS), spans, clean_name(label))


def _first(value: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if value.get(key) is not None), None)


def _cut_out(value: Mapping[str, Any], holder: Mapping[str, Any]) -> str | None:
    """The name of an entity that has offsets alone, from the text beside the list."""
    start, end = (value.get(key) for key in ("start", "end"))
    text = holder.get("text")
    if isinstance(text, str) and isinstance(start, int) and isinstance(end, int) and start >= 0:
        return text[start:end]
    return None


def _integer(value: Mapping[str, Any], keys: Sequence[str], field: str) -> int | None:
    key = _first(value, keys)
    if key is None:
        return None
    number = value[key]
    if isinstance(number, bool) or not isinstance(number, int):
        raise _wrong(field, value, f"a whole number under {key!r}")
    return number


def _wrong(field: str, value: Any, expected: str) -> InputError:
    shown = clean_name(repr(value))
    shown = f"{shown[:60]}..." if len(shown) > 60 else shown
    return InputError(f"Field {field!r} holds {shown}, where {expected} is expected.")


def _whole_names(mentions: Iterable[Entity]) -> list[Entity]:
    """Join word pieces: those after the first are marked ## or have a label such as I-PER."""
    names: list[Entity] = []
    for mention in mentions:
        piece = _PIECE.fullmatch(mention.label)
        place, label = piece.groups() if piece else ("", mention.label)
        ending = mention.text.startswith("##")
        marked = bool(piece) or ending
        bare = mention.text.lstrip(_PIECE_MARKS) if marked else mention.text
        mention = replace(mention, text=bare, label=label)
        goes_on = ending or (marked and place in _INSIDE)
        if goes_on and names and names[-1].label == label:
            names[-1] = _appended(names[-1], mention, space="" if ending else " ")
        else:
            names.append(mention)
    return names


def _appended(name: Entity, piece: Entity, *, space: str) -> Entity:
    if not (name.spans and piece.spans):
        return replace(name, text=f"{name.text}{space}{piece.text}")
    (start, end), (begin, stop) = name.spans[0], piece.spans[0]
    space = "" if begin == end else " "
    return replace(name, text=f"{name.text}{space}{piece.text}", spans=((start, stop),))


def _checked(mentions: Sequence[Entity], text: str) -> list[Entity]:
    """The mentions, with those of their spans at which their names stand, in characters."""
    spans = [each.spans for each in mentions]
    found = _found(mentions, spans, text)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    wide = codes > 0xFFFF
    if wide.any():
        # One writer counts in one way, so that counts which most names fit; single ones may fit
        # the other by chance.
        units = np.concatenate([[0], np.cumsum(1 + wide)])
        turned = _found(mentions, [_in_characters(each, units) for each in spans], text)
        found = max(found, turned, key=lambda kept: sum(map(len, kept)))
    return [replace(each, spans=kept) for each, kept in zip(mentions, found, strict=True)]


def _found(mentions: Sequence[Entity], spans: Sequence[Spans], text: str) -> list[Spans]:
    # No more is looked at than a name can have: an end may be anywhere.
    most = 4 * LONGEST_NAME
    return [
        tuple(
            (start, end)
            for start, end in places
            if clean_name(text[start : min(end, start + most)]).casefold()
            == mention.text.casefold()
        )
        for mention, places in zip(mentions, spans, strict=True)
    ]


def _in_characters(spans: Spans, units: NDArray[np.int64]) -> Spans:
    most = int(units[-1])
    return tuple(
        (
            int(np.searchsorted(units, min(start, most))),
            int(np.searchsorted(units, min(end, most))),
        )
        for start, end in spans
    )
