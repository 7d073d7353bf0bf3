"""What is put into the cluster, from the files under `mappings/`."""

import copy
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from es_simhash.fingerprints.scheme import Scheme
from es_simhash.semantics.scheme import SemanticScheme
from es_simhash.storage.fields import (
    CONCEPTS,
    DEFAULT_FIELD,
    ENTITIES,
    FINGERPRINT,
    SEMANTIC_SCHEME,
    VECTOR,
    VECTOR_FINGERPRINT,
)

# Key of `_meta` in the mapping of the index; one entry for each field that holds our object.
META = "es_simhash"


def load(kind: str, name: str) -> dict[str, Any]:
    """Read a resource file, from the installed package or from the checkout beside it."""
    packaged = files("es_simhash") / "_cluster" / kind / name
    if packaged.is_file():
        content = packaged.read_text("utf-8")
    else:
        content = (Path(__file__).parents[2] / kind / name).read_text("utf-8")
    loaded: dict[str, Any] = json.loads(content)
    return loaded


def properties(scheme: Scheme, semantics: SemanticScheme | None = None) -> dict[str, Any]:
    """Return the mapping of our object, with the dimensions of the schemes."""
    resource = load("mappings", "simhash@mappings.json")
    found = copy.deepcopy(resource["template"]["mappings"]["properties"][DEFAULT_FIELD])
    members = found["properties"]
    members[FINGERPRINT]["dims"] = scheme.bits
    vectors = (VECTOR, VECTOR_FINGERPRINT)
    unused: tuple[str, ...] = () if semantics else (SEMANTIC_SCHEME, CONCEPTS, ENTITIES)
    for name in vectors:
        members[name]["dims"] = semantics.dims if semantics else 0
    if semantics is None or not semantics.stores_vectors:
        unused += vectors
    for name in unused:
        del members[name]
    mapping: dict[str, Any] = found
    return mapping


def meta(scheme: Scheme, semantics: SemanticScheme | None = None) -> dict[str, Any]:
    """Return what `_meta` says of one field: the schemes, parameters, the resource's version."""
    found: dict[str, Any] = {
        "scheme": scheme.name,
        "parameters": {
            "bits": scheme.bits,
            "blocks": scheme.blocks,
            "chunk_tokens": [scheme.min_chunk_tokens, scheme.max_chunk_tokens],
            "window": scheme.window,
        },
        "version": load("mappings", "simhash@mappings.json")["version"],
        "managed": True,
    }
    if semantics is not None:
        found["semantics"] = semantics.to_meta()
    return found


def mapping(
    scheme: Scheme, field: str = DEFAULT_FIELD, semantics: SemanticScheme | None = None
) -> dict[str, Any]:
    """Return the body of a mapping request that adds our object under `field`."""
    tree: dict[str, Any] = properties(scheme, semantics)
    for part in reversed(field.split(".")[1:]):
        tree = {"properties": {part: tree}}
    return {
        "_meta": {META: {field: meta(scheme, semantics)}},
        "properties": {field.split(".")[0]: tree},
    }
