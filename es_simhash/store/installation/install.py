"""Adding the `simhash` fields to an index, without touching the user's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.errors import IndexMissing, MappingConflict
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store import resources
from es_simhash.store.added_schemes import AddedScheme, added_schemes
from es_simhash.store.config import DOCUMENT_SETTINGS
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation import component_templates
from es_simhash.store.installation.compatibility import field_conflicts, lacks_field
from es_simhash.store.installation.entity_fields import require_entity_fields
from es_simhash.store.installation.scheme_choice import chosen_schemes
from es_simhash.store.mapped_fields import VECTOR_TYPES, mapped_fields, nearest_hint
from es_simhash.store.mapping_meta import meta_entry, with_entries
from es_simhash.store.paths import adapted_properties, nested_properties


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
        wanted = resources.mapping(scheme, simhash_field, semantics, schemes)
        body = _body_of_new_index(client, index, wanted)
        _require_vectors(index, body["mappings"], semantics)
        return [Request("PUT", f"/{index}", body)]
    if semantics is not None:
        require_entity_fields(Gateway.of(client), existing, semantics.entity_fields)
    requests = []
    for name, mapping in sorted(existing.items()):
        entry = meta_entry(mapping, simhash_field)
        kept = _kept_semantics(entry, semantics)
        _require_vectors(name, mapping, kept)
        wanted = resources.mapping(scheme, simhash_field, kept, _with_present(name, entry, schemes))
        _keep_documents(wanted, mapping, simhash_field)
        if _is_missing(name, mapping, wanted, simhash_field):
            body = _with_other_meta(wanted, mapping)
            body["properties"] = adapted_properties(body["properties"], mapping)
            requests.append(Request("PUT", f"/{name}/_mapping", body))
    return requests


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


def _kept_semantics(
    entry: Mapping[str, Any] | None, semantics: SemanticScheme | None
) -> SemanticScheme | None:
    """Return the semantics of the index, unless others than the default are wanted."""
    if entry and entry.get("semantics") and semantics in (None, DEFAULT_SEMANTICS):
        return SemanticScheme.from_meta(entry["semantics"])
    return semantics


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
    """Keep what the index says of its documents: that is set by `configure` alone."""
    entry = meta_entry(mapping, field) or {}
    if DOCUMENT_SETTINGS in entry:
        wanted["_meta"][resources.META][field][DOCUMENT_SETTINGS] = entry[DOCUMENT_SETTINGS]


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
