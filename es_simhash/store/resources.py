"""Mappings and settings of what is created in the cluster, from the files under `mappings/`."""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.added_schemes import AddedScheme, schemes_meta
from es_simhash.store.fields import (
    CONCEPTS,
    DEFAULT_FIELD,
    ENTITIES,
    FINGERPRINT,
    INDEX_VECTOR,
    SCHEMES,
    SEMANTIC_SCHEME,
    VECTOR,
    VECTOR_FINGERPRINT,
    VECTOR_LANGUAGE,
    VECTOR_TABLE,
)

# Key of `_meta` in the mapping of the index; one entry for each field with fingerprints.
META = "es_simhash"
MAPPINGS = "simhash@mappings"
_OF_A_SCHEME = "simhash-scheme@mappings"


def load(kind: str, name: str) -> dict[str, Any]:
    """Read a resource file, from the installed package or from the checkout."""
    packaged = files("es_simhash") / "_cluster" / kind / name
    if packaged.is_file():
        content = packaged.read_text("utf-8")
    else:
        content = (Path(__file__).parents[2] / kind / name).read_text("utf-8")
    loaded: dict[str, Any] = json.loads(content)
    return loaded


def template(*names: str) -> dict[str, Any]:
    """Return the templates of files under `mappings/` in one: `mappings`, `settings` or both."""
    parts: dict[str, Any] = {}
    for name in names:
        parts |= load("mappings", f"{name}.json")["template"]
    return parts


def properties(
    scheme: Scheme,
    semantics: SemanticScheme | None = None,
    schemes: Sequence[AddedScheme] = (),
) -> dict[str, Any]:
    """Return the mapping of the `simhash` object, with the dimensions of the schemes."""
    mapping: dict[str, Any] = template(MAPPINGS)["mappings"]["properties"][DEFAULT_FIELD]
    members = mapping["properties"]
    members[FINGERPRINT]["dims"] = scheme.bits
    unused: tuple[str, ...] = () if semantics else (SEMANTIC_SCHEME, CONCEPTS, ENTITIES)
    if semantics is None or not semantics.is_learned:
        unused += (INDEX_VECTOR, VECTOR_TABLE, VECTOR_LANGUAGE)
        for name in (VECTOR, VECTOR_FINGERPRINT):
            members[name]["dims"] = semantics.dims if semantics else 0
    if semantics is None or not semantics.stores_vectors:
        unused += (VECTOR, VECTOR_FINGERPRINT)
    for name in unused:
        del members[name]
    if schemes:
        added = {each.method: template(_OF_A_SCHEME)["mappings"] for each in schemes}
        members[SCHEMES] = {"properties": added}
    return mapping


def meta(
    scheme: Scheme,
    semantics: SemanticScheme | None = None,
    schemes: Sequence[AddedScheme] = (),
) -> dict[str, Any]:
    """Return the `_meta` of one field: its schemes, their parameters, version of the resource."""
    entry: dict[str, Any] = {
        "scheme": scheme.name,
        "parameters": {
            "bits": scheme.bits,
            "blocks": scheme.blocks,
            "chunk_tokens": [scheme.min_chunk_tokens, scheme.max_chunk_tokens],
            "window": scheme.window,
        },
        "version": load("mappings", f"{MAPPINGS}.json")["version"],
        "managed": True,
    }
    if semantics is not None:
        entry["semantics"] = semantics.to_meta()
    if schemes:
        entry[SCHEMES] = schemes_meta(schemes)
    return entry


def mapping(
    scheme: Scheme,
    field: str = DEFAULT_FIELD,
    semantics: SemanticScheme | None = None,
    schemes: Sequence[AddedScheme] = (),
) -> dict[str, Any]:
    """Return the body of the mapping request that adds the object under `field`."""
    tree: dict[str, Any] = properties(scheme, semantics, schemes)
    for part in reversed(field.split(".")[1:]):
        tree = {"properties": {part: tree}}
    return {
        "_meta": {META: {field: meta(scheme, semantics, schemes)}},
        "properties": {field.split(".")[0]: tree},
    }


def component_template(
    scheme: Scheme,
    field: str = DEFAULT_FIELD,
    semantics: SemanticScheme | None = None,
    schemes: Sequence[AddedScheme] = (),
) -> dict[str, Any]:
    """Return the body of the component template that maps the object under `field`."""
    body = load("mappings", f"{MAPPINGS}.json")
    return {**body, "template": {"mappings": mapping(scheme, field, semantics, schemes)}}
