"""Adding the `simhash` fields to an index, without touching the user's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store import resources
from es_simhash.store.added_schemes import AddedScheme, added_schemes
from es_simhash.store.config import DOCUMENT_SETTINGS, IndexConfig
from es_simhash.store.elasticsearch.calls import index_path
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation import component_templates
from es_simhash.store.installation.compatibility import field_conflicts, lacks_field
from es_simhash.store.installation.entity_fields import require_entity_fields
from es_simhash.store.installation.index_templates import (
    IndexTemplate,
    exception_for,
    index_template,
    templates_of_streams,
)
from es_simhash.store.installation.scheme_choice import chosen_schemes
from es_simhash.store.mapped_fields import VECTOR_TYPES, mapped_fields, nearest_hint
from es_simhash.store.mapping_meta import (
    MOVED_FROM,
    UNFINISHED_FROM,
    current_field,
    meta_entry,
    schemes_of,
    semantics_of,
    with_entries,
)
from es_simhash.store.paths import adapted_properties, nested_properties
from es_simhash.store.state_entries import state_index_name


@dataclass(frozen=True)
class Request:
    """A request that `install` makes, or would make: method, path, body."""

    method: str
    path: str
    body: dict[str, Any]


def install(
    client: Client,
    index: str,
    *,
    scheme: Scheme | Sequence[str] = DEFAULT,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
    simhash_field: str = DEFAULT_FIELD,
    dry_run: bool = False,
) -> list[Request]:
    """Add the fingerprint fields to an index, which may not exist yet; see `Index.install`.

    Args:
        client: Client of the cluster.
        index: Name of the index.
        scheme: Scheme of the fingerprints; or names of schemes and methods.
        semantics: Scheme of the semantic fields; None to find versions alone.
        simhash_field: Field of the `simhash` object.
        dry_run: Send no request that writes.
    """
    own, added = chosen_schemes(scheme)
    requests = plan(
        client,
        index,
        scheme=own,
        semantics=semantics,
        simhash_field=simhash_field,
        schemes=added,
    )
    if not dry_run:
        try:
            _send(client, requests)
        except RequestRejected as error:
            # Templates are the one source of it that was not read: that needs a cluster privilege.
            if "subobjects" not in str(error):
                raise
            raise MappingConflict(
                f"An index template gives index {index!r} `subobjects: false`, so that it takes no "
                f"objects in its first mapping. Create it with `PUT {index}` and install again."
            ) from error
    return requests


def install_component_template(
    client: Client,
    *,
    scheme: Scheme | Sequence[str] = DEFAULT,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
    simhash_field: str = DEFAULT_FIELD,
    dry_run: bool = False,
) -> list[Request]:
    """Put the component template `simhash@mappings`, for index templates of the user.

    An index made from it counts as installed. This needs the cluster privilege
    `manage_index_templates`.

    Returns:
        The request made, or to be made with `dry_run`.
    """
    path = f"/_component_template/{component_templates.MAPPINGS}"
    own, added = chosen_schemes(scheme)
    body = resources.component_template(own, simhash_field, semantics, added)
    requests = [Request("PUT", path, body)]
    if not dry_run:
        _send(client, requests)
    return requests


def install_in_template(
    client: Client,
    template: str,
    *,
    scheme: Scheme | Sequence[str] = DEFAULT,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
    simhash_field: str = DEFAULT_FIELD,
    dry_run: bool = False,
) -> list[Request]:
    """Compose the fingerprint fields into an index template, for indices that do not exist yet.

    This needs the cluster privilege `manage_index_templates`.

    Args:
        client: Client of the cluster.
        template: Name of the index template.
        scheme: Scheme of the fingerprints; or names of schemes and methods.
        semantics: Scheme of the semantic fields; None to find versions alone.
        simhash_field: Field of the `simhash` object.
        dry_run: Send no request that writes.

    Returns:
        The requests made, or to be made with `dry_run`; none where it has the fields.

    Raises:
        InputError: There is no such template.
        MappingConflict: It maps a field of these otherwise, or has those of another scheme.
    """
    own, added = chosen_schemes(scheme)
    wanted = _Wanted(own, semantics, simhash_field, added)
    requests = _in_template(index_template(Gateway.of(client), template), wanted)
    if not dry_run:
        _send(client, requests)
    return requests


def complete_fields(
    client: Client,
    index: str,
    config: IndexConfig,
    mappings: dict[str, dict[str, Any]] | None = None,
) -> dict[str, dict[str, Any]]:
    """Add the fields to indices behind a name that have none yet, as the others have them.

    A data stream that was rolled over has such an index, unless its template has the fields.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        config: Names the field of the `simhash` object.
        mappings: The mapping of each index behind the name; None to read them.

    Returns:
        The mapping of each index behind the name, as it is then.

    Raises:
        MappingConflict: No index behind the name has such fields, or one maps a field otherwise.
        ClusterError: The privilege to change the mapping is missing.
    """
    gateway = Gateway.of(client)
    if mappings is None:
        mappings = gateway.mappings(index)
    schemes = schemes_of(index, mappings, config.simhash_field)
    wanted = _Wanted(schemes.scheme, schemes.semantics, schemes.field, schemes.added)
    requests = [
        request
        for each in schemes.left_out
        if each.scheme is None
        for request in _in_index(each.index, mappings[each.index], wanted)
    ]
    _send(client, requests)
    return gateway.mappings(index) if requests else mappings


def _send(client: Client, requests: list[Request]) -> None:
    gateway = Gateway.of(client)
    for request in requests:
        gateway.request(request.method, request.path, request.body)


def plan(
    client: Client,
    index: str,
    *,
    scheme: Scheme,
    simhash_field: str,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
    schemes: Sequence[AddedScheme] = (),
) -> list[Request]:
    """Return the requests that add what is missing, in each index behind the name."""
    try:
        existing = Gateway.of(client).mappings(index)
    except IndexMissing:
        mapping = resources.mapping(scheme, simhash_field, semantics, schemes)
        body = _body_of_new_index(client, index, mapping)
        _require_vectors(index, body["mappings"], semantics)
        return [Request("PUT", index_path(index), body)]
    if semantics is not None:
        require_entity_fields(Gateway.of(client), existing, semantics.entity_fields)
    wanted = _Wanted(scheme, semantics, current_field(existing, simhash_field), schemes)
    requests = [
        request
        for name, mapping in sorted(existing.items())
        for request in _in_index(name, mapping, wanted)
    ]
    # Else the next index of a data stream has none of the fields.
    for _, template in templates_of_streams(Gateway.of(client), existing):
        requests += _in_template(template, wanted)
        beside = exception_for(state_index_name(index), template)
        if beside is not None and not _is_there(client, beside[0]):
            requests.append(Request("PUT", *beside))
    return requests


@dataclass(frozen=True)
class _Wanted:
    """The fields that an index is to have."""

    scheme: Scheme
    semantics: SemanticScheme | None
    field: str
    schemes: Sequence[AddedScheme]

    def missing(self, name: str, mapping: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what a mapping lacks of them, as a mapping; None for nothing.

        Args:
            name: Of its index or template.
            mapping: The mapping.
        """
        entry = meta_entry(mapping, self.field)
        kept = self.semantics
        if entry and kept in (None, DEFAULT_SEMANTICS):
            # Those of the index, unless others than the default are wanted.
            kept = semantics_of(name, self.field, entry) or kept
        _require_vectors(name, mapping, kept)
        schemes = _with_present(name, entry, self.schemes)
        wanted = resources.mapping(self.scheme, self.field, kept, schemes)
        _keep_documents(wanted, mapping, self.field)
        if not _is_missing(name, mapping, wanted, self.field):
            return None
        properties = adapted_properties(wanted["properties"], mapping)
        return {**_with_other_meta(wanted, mapping), "properties": properties}


def _in_index(name: str, mapping: Mapping[str, Any], wanted: _Wanted) -> list[Request]:
    body = wanted.missing(name, mapping)
    return [] if body is None else [Request("PUT", index_path(name, "_mapping"), body)]


def _in_template(template: IndexTemplate, wanted: _Wanted) -> list[Request]:
    mapping = wanted.missing(template.name, template.mapping)
    if mapping is None:
        return []
    return [Request("PUT", *request) for request in template.composed(mapping)]


def _is_there(client: Client, path: str) -> bool:
    try:
        return bool(Gateway.of(client).request("HEAD", path))
    except RequestRejected as error:
        if error.status != 404:
            raise
        return False


def _body_of_new_index(client: Client, index: str, mapping: dict[str, Any]) -> dict[str, Any]:
    """Return the request that creates an index, with the user's component template.

    Raises:
        MappingConflict: The template changes a field so that it cannot serve.
    """
    body = component_templates.with_custom(mapping, component_templates.custom_template(client))
    properties = body["mappings"]["properties"]
    for conflict in field_conflicts(nested_properties(properties), mapping["properties"]):
        raise MappingConflict(
            f"Component template {component_templates.CUSTOM!r} maps {conflict} in index "
            f"{index!r}. Remove the field from the template."
        )
    # Whatever `_meta` the template has, the schemes are those of this request.
    merged_meta = {**body["mappings"]["_meta"], **mapping["_meta"]}
    body["mappings"]["_meta"] = merged_meta
    ours = {name: properties[name] for name in mapping["properties"]}
    theirs = {name: field for name, field in properties.items() if name not in ours}
    # A field with a dotted name in the template wins, like any other of it.
    body["mappings"]["properties"] = adapted_properties(ours, body["mappings"]) | theirs
    return body


def _with_present(
    index: str, entry: Mapping[str, Any] | None, schemes: Sequence[AddedScheme]
) -> list[AddedScheme]:
    """Return the schemes of methods that the index has, and those that are wanted.

    Raises:
        MappingConflict: It has another scheme of a method.
    """
    present = {each.method: each for each in added_schemes(entry)}
    for scheme in schemes:
        if present.setdefault(scheme.method, scheme) != scheme:
            raise MappingConflict(
                f"Index {index!r} has scheme {present[scheme.method].name!r} of method "
                f"{scheme.method!r}, not {scheme.name!r}. Set simhash_field.",
                parameter="simhash_field",
            )
    return sorted(present.values())


def _keep_documents(wanted: Mapping[str, Any], mapping: Mapping[str, Any], field: str) -> None:
    """Keep what the index says of its documents and of upgrades, which others set alone."""
    entry = meta_entry(mapping, field) or {}
    kept = {
        key: entry[key] for key in (DOCUMENT_SETTINGS, MOVED_FROM, UNFINISHED_FROM) if key in entry
    }
    wanted["_meta"][resources.META][field].update(kept)


def _require_vectors(
    index: str, mapping: Mapping[str, Any], semantics: SemanticScheme | None
) -> None:
    """Reject a scheme that takes its vectors from a field that is not indexed for search."""
    if semantics is None or semantics.vector_field is None:
        return
    found = mapped_fields(mapping).get(semantics.vector_field)
    if found is None:
        hint = nearest_hint(semantics.vector_field, {index: mapping}, VECTOR_TYPES)
        raise MappingConflict(
            f"No mapping of {index} has a field {semantics.vector_field!r} for vectors{hint}. "
            "Set vectors.",
            parameter="vectors",
        )
    field = found.definition
    needed = {"type": "dense_vector", "element_type": "float", "index": True}
    for name, value in needed.items():
        present = field.get(name, found.type if name == "type" else value)
        if present != value:
            raise MappingConflict(
                f"Field {semantics.vector_field!r} of index {index!r} has {name} {present!r}, but "
                f"vectors need {value!r}. Set vectors.",
                parameter="vectors",
            )


def _is_missing(
    index: str, mapping: Mapping[str, Any], wanted: Mapping[str, Any], field: str
) -> bool:
    entry = meta_entry(mapping, field)
    scheme = wanted["_meta"][resources.META][field]["scheme"]
    if entry is not None and entry["scheme"] != scheme:
        raise MappingConflict(
            f"Field {field!r} of index {index!r} holds scheme {entry['scheme']!r}, not {scheme!r}. "
            "Set simhash_field.",
            parameter="simhash_field",
        )
    target = wanted["_meta"][resources.META][field]
    needed, present_semantics = target.get("semantics"), (entry or {}).get("semantics")
    if needed and present_semantics and needed != present_semantics:
        raise MappingConflict(
            f"Field {field!r} of index {index!r} has semantic scheme "
            f"{present_semantics['name']!r}, not {needed['name']!r}. Set simhash_field.",
            parameter="simhash_field",
        )
    present = nested_properties(mapping.get("properties", {}))
    for conflict in field_conflicts(present, wanted["properties"]):
        raise MappingConflict(
            f"Index {index!r} maps {conflict}. Set simhash_field.", parameter="simhash_field"
        )
    return lacks_field(present, wanted["properties"]) or entry != target


def _with_other_meta(wanted: dict[str, Any], mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {**wanted, "_meta": with_entries(mapping, wanted["_meta"][resources.META])}
