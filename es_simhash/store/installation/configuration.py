"""The configuration of an installed index, read from its mapping."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from es_simhash.errors import MappingConflict
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store import resources
from es_simhash.store.added_schemes import AddedScheme, added_schemes
from es_simhash.store.config import SETTINGS, DocumentSettings, IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import DEFAULT_FIELD


@dataclass(frozen=True)
class InstalledSchemes:
    """What an index was installed with.

    Attributes:
        scheme: Scheme of the fingerprints.
        semantics: Scheme of the semantic fields; None for fingerprints alone.
        documents: What it says of its documents.
        added: Schemes of methods that it has in addition.
    """

    scheme: Scheme
    semantics: SemanticScheme | None
    documents: DocumentSettings = field(default_factory=DocumentSettings)
    added: tuple[AddedScheme, ...] = ()

    def applied(self, config: IndexConfig) -> IndexConfig:
        """Return a configuration with these schemes, and with what nobody named."""
        schemes = replace(config, scheme=self.scheme, semantics=self.semantics, schemes=self.added)
        return schemes.configured(self.documents)


@dataclass(frozen=True)
class InstalledIndex:
    """An index with `simhash` fields, whose schemes are read from its mapping once.

    Attributes:
        gateway: To the cluster.
        name: Of the index.
        given: What is known of its configuration.
        is_complete: True when nothing has to be read.
    """

    gateway: Gateway
    name: str
    given: IndexConfig
    is_complete: bool = False

    @cached_property
    def config(self) -> IndexConfig:
        """How the index is read and fingerprinted.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        if self.is_complete:
            return self.given
        installed = installed_schemes(self.gateway, self.name, self.given.simhash_field)
        return installed.applied(self.given)


def installed_schemes(client: Client, index: str, field: str = DEFAULT_FIELD) -> InstalledSchemes:
    """Return the schemes of an index that has fingerprint fields.

    Raises:
        IndexMissing: There is no such index.
        MappingConflict: It has no such fields, or the indices behind the name differ in scheme.
        SchemeError: They were installed with a version that knows other schemes.
    """
    return schemes_of(index, Gateway.of(client).mappings(index), field)


def schemes_of(
    index: str, mappings: Mapping[str, Mapping[str, Any]], field: str = DEFAULT_FIELD
) -> InstalledSchemes:
    """Return the schemes that mappings say; see `installed_schemes`.

    Args:
        index: Name of the index.
        mappings: The mapping of each index behind it.
        field: Field of the `simhash` object.
    """
    names = set()
    profiles = {}
    documents = {}
    added: set[AddedScheme] = set()
    for name, mapping in mappings.items():
        entry = meta_entry(mapping, field)
        if entry is None:
            _require_no_other_field(name, mapping, field)
            raise MappingConflict(
                f"Index {name!r} has no fingerprint fields under {field!r}. "
                f"Run `es-simhash install {name}`."
            )
        names.add(entry["scheme"])
        documents[name] = DocumentSettings.from_meta(entry)
        added.update(added_schemes(entry))
        meta = entry.get("semantics")
        profiles[meta and meta["name"]] = meta and SemanticScheme.from_meta(meta)
    if len(names) != 1:
        raise MappingConflict(
            f"{index!r} has indices of {len(names)} schemes ({', '.join(sorted(names))}). "
            "Query one of them."
        )
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
    return InstalledSchemes(Scheme.parse(names.pop()), semantics, settings, tuple(sorted(added)))


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
    for setting in SETTINGS:
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
