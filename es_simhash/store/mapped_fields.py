"""The fields of mappings by their full names, and the nearest to a name that no mapping has."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from es_simhash.errors import InputError, MappingConflict
from es_simhash.store.dates import DATE_TYPES, DateField
from es_simhash.store.paths import mapped_field
from es_simhash.store.resources import META

TEXT_TYPES = frozenset({"text", "match_only_text", "keyword", "wildcard", "constant_keyword"})
VECTOR_TYPES = frozenset({"dense_vector"})
_INTEGER_TYPES = frozenset({"long", "integer", "short", "byte", "unsigned_long"})
NUMBER_TYPES = _INTEGER_TYPES | {"double", "float", "half_float", "scaled_float"}
# Types whose values are names of things, not texts: equal or not.
KEYWORD_TYPES = _INTEGER_TYPES | {"keyword", "constant_keyword", "boolean"}

# What the last part of the name of the field of a body is, and of a headline, best first.
TEXT_NAMES = (
    "text", "body", "content", "fulltext", "full_text", "article", "inhalt", "volltext",
    "texte", "corps", "contenu", "texto", "cuerpo", "contenido", "testo",
    "正文", "内容", "文本", "النص", "نص", "المحتوى", "पाठ", "सामग्री",
)  # fmt: skip
TITLE_NAMES = (
    "title", "headline", "subject", "heading", "name", "titel", "überschrift", "ueberschrift",
    "schlagzeile", "titre", "titulo", "título", "titular", "titolo",
    "标题", "標題", "العنوان", "عنوان", "शीर्षक",
)  # fmt: skip
# What users name the fields of texts by.
_TEXT_PARAMETERS = ("text", "text_field")


@dataclass(frozen=True)
class MappedField:
    """A field of a mapping.

    Attributes:
        type: Its type, `object` for an object; of an alias, that of the field it stands for.
        definition: Its parameters.
        source: Path of its values in `_source`; None when a script computes them.
    """

    type: str
    definition: Mapping[str, Any]
    source: str | None


def mapped_fields(mapping: Mapping[str, Any]) -> dict[str, MappedField]:
    """Return all fields of a mapping by their full names.

    Objects, multi-fields, aliases and runtime fields are among them.
    """
    fields = dict(_properties(mapping, ""))
    for name, field in fields.items():
        if field.type == "alias":
            fields[name] = fields.get(str(field.definition.get("path")), field)
    return {**fields, **dict(_runtime(mapping.get("runtime", {})))}


def _properties(parent: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, MappedField]]:
    for name, definition in parent.get("properties", {}).items():
        path = f"{prefix}{name}"
        field = MappedField(definition.get("type", "object"), definition, path)
        yield path, field
        for leaf, inner in definition.get("fields", {}).items():
            yield f"{path}.{leaf}", replace(field, type=inner["type"], definition=inner)
        yield from _properties(definition, f"{path}.")


def _runtime(runtime: Mapping[str, Any]) -> Iterator[tuple[str, MappedField]]:
    for name, definition in runtime.items():
        source = None if "script" in definition else name
        yield name, MappedField(definition["type"], definition, source)
        for leaf, inner in definition.get("fields", {}).items():
            yield f"{name}.{leaf}", MappedField(inner["type"], inner, None)


def fields_named(name: str, mappings: Mapping[str, Mapping[str, Any]]) -> dict[str, MappedField]:
    """Return the field of that name in each mapping that has one, by the index.

    Args:
        name: Full name of the field.
        mappings: The mapping of each index behind a name.
    """
    found = {index: mapped_fields(mapping).get(name) for index, mapping in mappings.items()}
    return {index: field for index, field in found.items() if field is not None}


def require_no_nested_text(
    name: str, mappings: Mapping[str, Mapping[str, Any]], *, parameter: str
) -> None:
    """Reject a text of nested documents, of which a document has many.

    Args:
        name: Field of the text.
        mappings: The mapping of each index behind a name.
        parameter: What the user named it by.

    Raises:
        InputError: It lies in nested documents.
    """
    for index, mapping in mappings.items():
        parent = nested_parent(mapping, name)
        if parent is not None:
            raise InputError(
                f"Field {name!r} of index {index!r} lies in nested documents ({parent!r}); "
                "copy its text to a field of the document and name that one.",
                parameter=parameter,
            )


def nested_parent(mapping: Mapping[str, Any], path: str) -> str | None:
    """Return the nested object that a field lies in; None where it lies in none."""
    names = path.split(".")
    parents = (".".join(names[:count]) for count in range(1, len(names)))
    return next(
        (
            parent
            for parent in parents
            if (mapped_field(mapping, parent) or {}).get("type") == "nested"
        ),
        None,
    )


def is_made(name: str, mappings: Mapping[str, Mapping[str, Any]]) -> bool:
    """Check whether mappings make a field of others: `_source` has it not, by its name.

    Multi-fields, aliases and scripts do.
    """
    fields = fields_named(name, mappings).values()
    return bool(fields) and all(field.source != name for field in fields)


def nearest_field(
    name: str,
    mappings: Mapping[str, Mapping[str, Any]],
    types: Collection[str] = (),
    *,
    documents: bool = False,
) -> str | None:
    """Return the field that is spelt most like a name; None when the mappings have no field.

    Args:
        name: What is not there, or cannot serve.
        mappings: The mapping of each index behind a name.
        types: Types that would do; the field is one of these, where there are any.
        documents: Whether documents must have it in `_source` under its name.
    """
    known = {
        path: field.type
        for mapping in mappings.values()
        for path, field in mapped_fields(mapping).items()
        if path != name and not _is_ours(path, mapping)
        if not documents or _holds_texts(path, field, mapping)
    }
    suitable = sorted(path for path in known if known[path] in types) or sorted(known)
    return max(suitable, key=lambda path: _likeness(name, path), default=None)


def _holds_texts(path: str, field: MappedField, mapping: Mapping[str, Any]) -> bool:
    """Check whether documents have a field under its name, and outside of nested ones."""
    is_nested = field.type == "nested" or nested_parent(mapping, path) is not None
    return field.source == path and not is_nested


def _is_ours(path: str, mapping: Mapping[str, Any]) -> bool:
    """Check whether a field is one of a `simhash` object."""
    objects = mapping.get("_meta", {}).get(META, {})
    return any(path == name or path.startswith(f"{name}.") for name in objects)


def _likeness(name: str, path: str) -> float:
    """Return how alike two names are, from 0 to 1; that the objects are left out costs little."""

    def ratio(one: str, other: str) -> float:
        return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()

    return max(ratio(name, path), 0.95 * ratio(name, path.rpartition(".")[2]))


def nearest_hint(
    name: str,
    mappings: Mapping[str, Mapping[str, Any]],
    types: Collection[str] = (),
    *,
    documents: bool = False,
) -> str:
    """Return the end of a sentence that names the nearest field; empty when there is none.

    Args:
        name: What the user named.
        mappings: The mapping of each index behind a name.
        types: Types that would do.
        documents: Whether documents must have it in `_source` under its name.
    """
    nearest = nearest_field(name, mappings, types, documents=documents)
    return "" if nearest is None else f"; the nearest field of the mapping is {nearest!r}"


def nearest_text_hint(name: str, mappings: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the end of a sentence that names the nearest text; empty when there is none.

    Where nobody named a field, and the mapping has a headline and a body by their names, it is
    these.

    Args:
        name: What the user named, or `text`.
        mappings: The mapping of each index behind a name.
    """
    found = _headline_and_body(mappings) if name == TEXT_NAMES[0] else None
    if found is not None:
        return f"; the mapping has a headline and a body, {found!r}"
    return nearest_hint(name, mappings, TEXT_TYPES, documents=True)


def _headline_and_body(mappings: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the fields of a headline and a body of one object; None without both."""
    texts = {
        path: path.rpartition(".")[2].casefold()
        for mapping in mappings.values()
        for path, field in mapped_fields(mapping).items()
        if field.type in TEXT_TYPES and field.source == path and not _is_ours(path, mapping)
    }
    bodies = sorted(
        (TEXT_NAMES.index(name), path) for path, name in texts.items() if name in TEXT_NAMES
    )
    for _, body in bodies:
        above = body.rpartition(".")[0]
        titles = sorted(
            (TITLE_NAMES.index(name), path)
            for path, name in texts.items()
            if name in TITLE_NAMES and path.rpartition(".")[0] == above
        )
        if titles:
            return f"{titles[0][1]},{body}"
    return None


def unknown_field(
    name: str,
    mappings: Mapping[str, Mapping[str, Any]],
    types: Collection[str] = (),
    *,
    parameter: str,
    documents: bool = False,
) -> InputError:
    """Return the error of a field that the user named and no mapping has.

    Args:
        name: The field.
        mappings: The mapping of each index behind a name.
        types: Types that would do.
        parameter: What the user named it by.
        documents: Whether documents were searched for it in `_source` as well.
    """
    sources = {field.source for field in fields_named(name, mappings).values()}
    named = sorted(source for source in sources if source not in (None, name))
    if documents and named:
        return InputError(
            f"No document has a field {name!r}: the mapping makes it of {named[0]!r}, which has "
            f"the text. Set {parameter}.",
            parameter=parameter,
        )
    hint = nearest_hint(name, mappings, types, documents=documents)
    if parameter in _TEXT_PARAMETERS:
        hint = nearest_text_hint(name, mappings)
    names = ", ".join(sorted(mappings))
    where = f"Neither the mapping nor a document of {names} has"
    if not documents:
        where = f"No mapping of {names} has"
    return InputError(f"{where} a field {name!r}{hint}. Set {parameter}.", parameter=parameter)


def rejects_field(mappings: Mapping[str, Mapping[str, Any]], name: str) -> bool:
    """Check whether a strict mapping rejects documents with a field that it does not have.

    Args:
        mappings: The mapping of each index behind a name.
        name: A field that is in no object.
    """
    return any(
        mapping.get("dynamic") == "strict" and name not in mapping.get("properties", {})
        for mapping in mappings.values()
    )


def find_date_field(
    mappings: Mapping[str, Mapping[str, Any]], name: str, *, parameter: str, numbers: bool = True
) -> DateField:
    """Return a field of dates that the user named.

    Args:
        mappings: The mapping of each index behind a name; see `Gateway.mappings`.
        name: The field.
        parameter: What the user named it by.
        numbers: Whether a field of numbers will do as well.

    Raises:
        InputError: No mapping has such a field.
        MappingConflict: It holds no dates, or has no doc values.
    """
    fields = fields_named(name, mappings)
    if not fields:
        raise unknown_field(name, mappings, DATE_TYPES, parameter=parameter)
    types = {field.type for field in fields.values()}
    is_number = numbers and types <= NUMBER_TYPES
    if not is_number and not types <= DATE_TYPES:
        raise MappingConflict(
            f"Field {name!r} of {', '.join(sorted(fields))} is mapped as "
            f"{' and '.join(sorted(types))}, not as a date. Set {parameter}.",
            parameter=parameter,
        )
    if any(field.definition.get("doc_values") is False for field in fields.values()):
        raise MappingConflict(
            f"Field {name!r} of {', '.join(sorted(fields))} has no doc values, so that its dates "
            f"cannot be compared. Set {parameter}.",
            parameter=parameter,
        )
    return DateField(name, is_number)


def find_keyword_field(
    mappings: Mapping[str, Mapping[str, Any]], name: str, *, parameter: str
) -> str:
    """Return the name of a field of keywords that the user named.

    Args:
        mappings: The mapping of each index behind a name.
        name: The field.
        parameter: What the user named it by.

    Raises:
        InputError: No mapping has such a field.
        MappingConflict: It holds texts or something else that is not compared as a whole.
    """
    fields = fields_named(name, mappings)
    if not fields:
        raise unknown_field(name, mappings, KEYWORD_TYPES, parameter=parameter)
    types = {field.type for field in fields.values()}
    if types <= KEYWORD_TYPES:
        return name
    raise MappingConflict(
        f"Field {name!r} of {', '.join(sorted(fields))} is mapped as "
        f"{' and '.join(sorted(types))}, not as a keyword{_keyword_hint(fields, mappings)}. "
        f"Set {parameter}.",
        parameter=parameter,
    )


def _keyword_hint(
    fields: Mapping[str, MappedField], mappings: Mapping[str, Mapping[str, Any]]
) -> str:
    """Return the end of a sentence that names a multi-field of keywords; empty without one."""
    inner = next((_inner_keyword(field, mappings[index]) for index, field in fields.items()), None)
    return "" if inner is None else f"; {inner!r} is one"


def _inner_keyword(field: MappedField, mapping: Mapping[str, Any]) -> str | None:
    """Return the multi-field of a field that holds its values as keywords; None without one."""
    known = mapped_fields(mapping)
    inner = [f"{field.source}.{leaf}" for leaf in sorted(field.definition.get("fields", {}))]
    return next((name for name in inner if known[name].type in KEYWORD_TYPES), None)


def keyword_fields(
    names: Iterable[str], mappings: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return the field that holds the values of each field as keywords: itself, or a multi-field.

    Args:
        names: The fields; one is left out where a mapping that has it holds texts alone.
        mappings: The mapping of each index behind a name.
    """
    found = {}
    for name in names:
        keywords = {
            name if field.type in KEYWORD_TYPES else _inner_keyword(field, mappings[index])
            for index, field in fields_named(name, mappings).items()
        }
        if len(keywords) == 1 and (keyword := keywords.pop()) is not None:
            found[name] = keyword
    return found


def is_data_stream(mappings: Mapping[str, Mapping[str, Any]]) -> bool:
    """Check whether the indices behind a name are those of data streams."""
    return any("_data_stream_timestamp" in mapping for mapping in mappings.values())
