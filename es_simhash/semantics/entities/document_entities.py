"""Entities that are already in a document: the user's own fields, or what an upstream NER wrote.

Nothing in a document is trusted. Names lose their control characters and are cut at 200
characters, so that one long name does not fail the document.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from es_simhash.errors import InputError
from es_simhash.semantics.semantic_profile import (
    Entity,
    clean_name,
    merge_mentions,
)

# More mentions than a text has: a greater number is a mistake, or an attempt to outweigh the rest.
MAX_MENTIONS = 1_000_000

# In order of precedence. In the output of a token classifier of Hugging Face "entity" is the
# label, next to "word"; with Elasticsearch it is the name.
_TEXT_KEYS = ("text", "name", "value", "word", "entity")
_LABEL_KEYS = ("label", "type", "entity_group", "class_name", "class", "entity")
_START_KEYS = ("start", "start_pos", "start_char")
_END_KEYS = ("end", "end_pos", "end_char")
_LIST_KEYS = ("entities", "ents")
# B-PER, I-PER, ...: the place in the name and the label, one entry for each word piece.
_PIECE = re.compile(r"([BILESU])-(\w+)")
_INSIDE = "ILE"
_PIECE_PREFIXES = "#▁Ġ"


def upstream_entities(source: Mapping[str, Any], fields: Sequence[str]) -> tuple[Entity, ...]:
    """Return the entities that fields of a document hold, each once.

    A field is a dotted path through objects and lists, or a key that has dots itself. It holds a
    name, an object with one (as text, name, value, word or entity; perhaps also label, type,
    entity_group, class_name or class; start and end; count), or lists of these: so also what
    Elasticsearch's NER inference, spaCy's `Doc.to_json` and Hugging Face's token classification
    write. Absent, null and empty fields hold no entity.

    Args:
        source: The document.
        fields: Dotted paths of its entities.

    Raises:
        InputError: A field holds something else.
    """
    return merge_mentions(mention for field in fields for mention in _read_field(source, field))


def _read_field(source: Mapping[str, Any], field: str) -> list[Entity]:
    try:
        mentions = [
            mention
            for value, holder in _values_at(source, field, field)
            for mention in _join_pieces(_mentions(value, holder, field))
        ]
    except RecursionError:
        raise InputError(
            f"Field {field!r} holds lists nested too deeply to read; a list of names is expected."
        ) from None
    cleaned = [replace(mention, text=clean_name(mention.text)) for mention in mentions]
    return [mention for mention in cleaned if mention.text]


def _values_at(node: Any, path: str, field: str) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the values at a dotted path, each with the object that holds it."""
    if isinstance(node, list | tuple):
        for item in node:
            yield from _values_at(item, path, field)
    elif isinstance(node, Mapping):
        if path in node:
            yield node[path], node
        parts = path.split(".")
        for count in range(1, len(parts)):
            inner = node.get(".".join(parts[:count]))
            yield from _values_at(inner, ".".join(parts[count:]), field)
    elif node is not None:
        raise _type_error(field, node, f"an object with {path!r} in it")


def _mentions(value: Any, holder: Mapping[str, Any], field: str) -> Iterator[Entity]:
    if isinstance(value, str):
        yield Entity(value)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _mentions(item, holder, field)
    elif isinstance(value, Mapping):
        entities = next(
            (value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)), None
        )
        if entities is None:
            yield _entity(value, holder, field)
        else:
            yield from _mentions(entities, value, field)
    elif value is not None:
        raise _type_error(field, value, "a name, an object with one, or a list of these")


def _entity(value: Mapping[str, Any], holder: Mapping[str, Any], field: str) -> Entity:
    key = _first_key(value, _TEXT_KEYS)
    name = value[key] if key else _name_at_offsets(value, holder)
    if not isinstance(name, str):
        raise _type_error(field, value, f"a string under one of {', '.join(_TEXT_KEYS)}")
    label_key = _first_key(value, [label for label in _LABEL_KEYS if label != key])
    label = value[label_key] if label_key else ""
    if not isinstance(label, str):
        raise _type_error(field, value, f"a string under {label_key!r}")
    start, end = (_integer(value, keys, field) for keys in (_START_KEYS, _END_KEYS))
    spans = ((start, end),) if start is not None and end is not None and 0 <= start < end else ()
    count = _integer(value, ("count",), field)
    if count is not None and count < 1:
        raise _type_error(field, value, "a 'count' from 1 up")
    return Entity(name, min(count or 1, MAX_MENTIONS), spans, clean_name(label))


def _first_key(value: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if value.get(key) is not None), None)


def _name_at_offsets(value: Mapping[str, Any], holder: Mapping[str, Any]) -> str | None:
    """Return the name of an entity that has only offsets, from the text of its holder."""
    start, end = (value.get(key) for key in ("start", "end"))
    text = holder.get("text")
    if isinstance(text, str) and isinstance(start, int) and isinstance(end, int) and start >= 0:
        return text[start:end]
    return None


def _integer(value: Mapping[str, Any], keys: Sequence[str], field: str) -> int | None:
    key = _first_key(value, keys)
    if key is None:
        return None
    number = value[key]
    if isinstance(number, bool) or not isinstance(number, int):
        raise _type_error(field, value, f"a whole number under {key!r}")
    return number


def _type_error(field: str, value: Any, expected: str) -> InputError:
    shown = clean_name(repr(value))
    shown = f"{shown[:60]}..." if len(shown) > 60 else shown
    return InputError(f"Field {field!r} holds {shown}, where {expected} is expected.")


def _join_pieces(mentions: Iterable[Entity]) -> list[Entity]:
    """Return the names that word pieces make; later pieces start with ## or have an I- label."""
    names: list[Entity] = []
    for mention in mentions:
        piece = _PIECE.fullmatch(mention.label)
        position, label = piece.groups() if piece else ("", mention.label)
        is_suffix = mention.text.startswith("##")
        is_piece = bool(piece) or is_suffix
        bare = mention.text.lstrip(_PIECE_PREFIXES) if is_piece else mention.text
        mention = replace(mention, text=bare, label=label)
        continues = is_suffix or (is_piece and position in _INSIDE)
        if continues and names and names[-1].label == label:
            names[-1] = _appended(names[-1], mention, space="" if is_suffix else " ")
        else:
            names.append(mention)
    return names


def _appended(name: Entity, piece: Entity, *, space: str) -> Entity:
    if not (name.spans and piece.spans):
        return replace(name, text=f"{name.text}{space}{piece.text}")
    (start, end), (begin, stop) = name.spans[0], piece.spans[0]
    space = "" if begin == end else " "
    return replace(name, text=f"{name.text}{space}{piece.text}", spans=((start, stop),))
