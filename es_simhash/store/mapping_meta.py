"""What `_meta` of a mapping says: schemes, how documents look, of which index it is a sidecar."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NoReturn

from es_simhash.errors import MappingConflict, SchemeError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.relation.references import LeftOutIndex
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store import resources
from es_simhash.store.added_schemes import AddedScheme, added_schemes
from es_simhash.store.config import DocumentSettings, IndexConfig
from es_simhash.store.fields import DEFAULT_FIELD

# Members of an entry of `_meta` after an upgrade: the field that has the fingerprints now, and the
# one whose families and state these continue.
MOVED_TO, MOVED_FROM = "moved_to", "moved_from"
# A member of the entry that counts since a switch, until documents have under its field all that
# they had under the other, which it names.
UNFINISHED_FROM = "unfinished_from"
# Key of `_meta` in the mapping of a sidecar: the first index, by the field of the object.
SIDECAR_META = "es_simhash_sidecar"


@dataclass(frozen=True)
class InstalledSchemes:
    """What an index was installed with.

    Attributes:
        scheme: Scheme of the fingerprints.
        semantics: Scheme of the semantic fields; None for fingerprints alone.
        documents: What it says of its documents.
        added: Schemes of methods that it has in addition.
        left_out: Indices behind the name that were installed with another scheme, or not at all.
        field: Field of the `simhash` object, another than the named one after an upgrade.
        state_field: Field whose state is continued.
        learned_field: Field whose background and vectors are continued.
    """

    scheme: Scheme
    semantics: SemanticScheme | None
    documents: DocumentSettings = field(default_factory=DocumentSettings)
    added: tuple[AddedScheme, ...] = ()
    left_out: tuple[LeftOutIndex, ...] = ()
    field: str = DEFAULT_FIELD
    state_field: str | None = None
    learned_field: str | None = None

    def applied(self, config: IndexConfig) -> IndexConfig:
        """Return a configuration with these schemes, and with what nobody named."""
        schemes = replace(
            config,
            scheme=self.scheme,
            semantics=self.semantics,
            schemes=self.added,
            left_out=self.left_out,
            simhash_field=self.field,
            state_of=self.state_field,
            learned_of=self.learned_field,
        )
        return schemes.configured(self.documents)


def schemes_of(
    index: str, mappings: Mapping[str, Mapping[str, Any]], field: str = DEFAULT_FIELD
) -> InstalledSchemes:
    """Return the schemes of an index that has fingerprint fields.

    Of several indices behind a name some may have none yet, as the newest of a data stream, or
    another scheme, as while documents move to one: these are left out. Where schemes differ, that
    of the index whose name sorts last counts, which of time-based and numbered names is the newest.

    Args:
        index: Name of the index.
        mappings: The mapping of each index behind it.
        field: Field of the `simhash` object.

    Raises:
        MappingConflict: None has such fields, or they differ in semantic scheme.
        SchemeError: They were installed with a version that knows other schemes, or what is stored
            of one is damaged.
    """
    field = current_field(mappings, field)
    entries = {name: meta_entry(mapping, field) for name, mapping in sorted(mappings.items())}
    installed = {name: entry for name, entry in entries.items() if entry is not None}
    if not installed:
        _raise_not_installed(index, mappings, field)
    scheme = list(installed.values())[-1]["scheme"]
    left_out = tuple(
        LeftOutIndex(name, None if entry is None else entry["scheme"])
        for name, entry in entries.items()
        if entry is None or entry["scheme"] != scheme
    )
    profiles = {}
    documents = {}
    added: set[AddedScheme] = set()
    for name, entry in installed.items():
        if entry["scheme"] != scheme:
            continue
        documents[name] = DocumentSettings.from_meta(entry)
        added.update(added_schemes(entry))
        semantics = semantics_of(name, field, entry)
        profiles[semantics and semantics.name] = semantics
    # Where only some of the indices have it, neighbours are found among their documents.
    profiles.pop(None, None)
    if len(profiles) > 1:
        raise MappingConflict(
            f"{index!r} has indices of {len(profiles)} semantic schemes. Query one of them."
        )
    semantics = next(iter(profiles.values()), None)
    if len({scheme.method for scheme in added}) != len(added):
        raise MappingConflict(
            f"{index!r} has indices of different schemes of one method. Query one of them."
        )
    settings = common_settings(index, documents)
    methods = tuple(sorted(added))
    continued = tuple(
        None if each == field else each
        for each in (first_field(mappings, field), learned_field(mappings, field))
    )
    own = _parsed(index, scheme)
    return InstalledSchemes(own, semantics, settings, methods, left_out, field, *continued)


def semantics_of(index: str, field: str, entry: Mapping[str, Any]) -> SemanticScheme | None:
    """Return the semantic scheme of an entry of `_meta`; None for fingerprints alone.

    Args:
        index: Name of the index of the mapping.
        field: Field of the `simhash` object.
        entry: See `meta_entry`.

    Raises:
        SchemeError: This version does not read it.
    """
    meta = entry.get("semantics")
    try:
        return SemanticScheme.from_meta(meta) if meta else None
    except SchemeError as error:
        raise SchemeError(
            f"Index {index!r} has semantic fields under {field!r} that this version does not read. "
            f"{error}"
        ) from error


def _parsed(index: str, name: str) -> Scheme:
    try:
        return Scheme.parse(name)
    except SchemeError as error:
        raise SchemeError(
            f"Index {index!r} has fingerprints of scheme {name!r}, which this version does not "
            f"read. Run `es-simhash upgrade {index}`."
        ) from error


def current_field(mappings: Mapping[str, Mapping[str, Any]], field: str) -> str:
    """Return the field that has the fingerprints of a named one: another after an upgrade.

    Args:
        mappings: The mapping of each index behind a name; that of the newest counts, by its name.
        field: The named field.
    """
    return _followed(mappings, field, MOVED_TO)


def first_field(mappings: Mapping[str, Mapping[str, Any]], field: str) -> str:
    """Return the field whose state a field continues; see `current_field`."""
    return _followed(mappings, field, MOVED_FROM)


def learned_field(mappings: Mapping[str, Mapping[str, Any]], field: str) -> str:
    """Return the field whose background and vectors a field continues; see `current_field`.

    They are of one semantic scheme: an upgrade to another one makes them anew, under its own field.
    """
    return _followed(mappings, field, MOVED_FROM, within=_semantic_name)


def _semantic_name(entry: Mapping[str, Any] | None) -> str | None:
    return ((entry or {}).get("semantics") or {}).get("name")


def upgraded_fields(mappings: Mapping[str, Mapping[str, Any]], field: str) -> list[str]:
    """Return the fields that continue a field: after an upgrade, and while one is under way.

    Args:
        mappings: The mapping of each index behind a name.
        field: The first of them.
    """
    entries = [mapping.get("_meta", {}).get(resources.META, {}) for mapping in mappings.values()]
    names = {name for some in entries for name in some}
    return sorted(name for name in names - {field} if first_field(mappings, name) == field)


def _followed(
    mappings: Mapping[str, Mapping[str, Any]],
    field: str,
    member: str,
    within: Callable[[Mapping[str, Any] | None], object] = lambda entry: None,
) -> str:
    """Return the last field that a member of entries leads to, as long as `within` stays."""

    def entry_of(name: str) -> Mapping[str, Any] | None:
        entries = [meta_entry(mapping, name) for _, mapping in sorted(mappings.items())]
        return next((entry for entry in entries[::-1] if entry), None)

    passed: list[str] = []
    while field not in passed:
        passed.append(field)
        entry = entry_of(field) or {}
        following = entry.get(member, field)
        if within(entry_of(following)) == within(entry):
            field = following
    return field


def _raise_not_installed(
    index: str, mappings: Mapping[str, Mapping[str, Any]], field: str
) -> NoReturn:
    for name, mapping in mappings.items():
        _require_no_other_field(name, mapping, field)
    # An alias or a data stream is installed as a whole.
    named = next(iter(mappings)) if len(mappings) == 1 else index
    raise MappingConflict(
        f"Index {named!r} has no fingerprint fields under {field!r}. "
        f"Run `es-simhash install {named}`."
    )


def require_one_scheme(index: str, left_out: Iterable[LeftOutIndex]) -> None:
    """Reject indices of which some have another scheme: documents would get one that is not theirs.

    Args:
        index: The name that they are behind.
        left_out: Indices that have not the scheme of the others.

    Raises:
        MappingConflict: One has another.
    """
    for each in left_out:
        if each.scheme is not None:
            raise MappingConflict(
                f"Index {each.index!r} behind {index!r} has {each.reason}. Write to the indices of "
                "one scheme by a name of their own."
            )


def common_settings(index: str, settings: Mapping[str, DocumentSettings]) -> DocumentSettings:
    """Return what the indices behind a name say of their documents.

    One that says nothing, as the newest index of a data stream may, is like the others.

    Args:
        index: The name.
        settings: What each index says.

    Raises:
        MappingConflict: Two indices say different things.
    """
    common: dict[str, Any] = {}
    for setting in (each.name for each in fields(DocumentSettings)):
        said = {
            value: name
            for name, one in sorted(settings.items())
            if (value := getattr(one, setting)) is not None
        }
        if len(said) > 1:
            (first, name), (second, other) = list(said.items())[:2]
            raise MappingConflict(
                f"{index!r} has indices that are configured differently: {setting} is {first!r} in "
                f"{name!r} and {second!r} in {other!r}. Run `es-simhash config {index}` with the "
                "value that counts.",
            )
        common[setting] = next(iter(said), None)
    return DocumentSettings(**common)


def _require_no_other_field(index: str, mapping: Mapping[str, Any], field: str) -> None:
    """Name the fields under which an index has fingerprints when it is another than the named."""
    if others := sorted(mapping.get("_meta", {}).get(resources.META, {})):
        raise MappingConflict(
            f"Index {index!r} has no fingerprint fields under {field!r}, but under "
            f"{', '.join(map(repr, others))}. Set simhash_field.",
            parameter="simhash_field",
        )


def meta_entry(mapping: Mapping[str, Any], field: str) -> dict[str, Any] | None:
    """Return what `_meta` of a mapping says of the object under a field; None for nothing."""
    entry: dict[str, Any] | None = mapping.get("_meta", {}).get(resources.META, {}).get(field)
    return entry


def with_entries(mapping: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return `_meta` of a mapping with entries of ours: a mapping request replaces the whole of it.

    Args:
        mapping: The mapping.
        entries: By the field of the object.
    """
    meta = {**mapping.get("_meta", {})}
    meta[resources.META] = {**meta.get(resources.META, {}), **entries}
    return meta


def source_of(mappings: Mapping[str, Mapping[str, Any]], simhash_field: str) -> str | None:
    """Return the index that mappings say a sidecar belongs to; None for none."""
    for mapping in mappings.values():
        source: str | None = mapping.get("_meta", {}).get(SIDECAR_META, {}).get(simhash_field)
        if source is not None:
            return source
    return None


def require_no_sidecar(mappings: Mapping[str, Mapping[str, Any]]) -> None:
    """Reject a sidecar where documents of the user's own are to be written.

    Args:
        mappings: The mapping of each index behind a name; see `Gateway.mappings`.

    Raises:
        MappingConflict: One of the indices is a sidecar.
    """
    for name, mapping in mappings.items():
        sources = mapping.get("_meta", {}).get(SIDECAR_META, {})
        for source in sources.values():
            raise MappingConflict(
                f"Index {name!r} is the sidecar of {source!r} and takes no other documents. "
                f"Write to {source!r} and run `es-simhash backfill {source} --sidecar {name}`."
            )
