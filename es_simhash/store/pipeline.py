"""The ingest pipeline: fingerprints for writers that are not Python (docs/pipeline.md).

`ingest/simhash@pipeline.json` is complete, so that it can be installed without Python;
`scripts/build_pipeline.py` makes it.
"""

from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.store import resources
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.source import field_names

NAME = "simhash@pipeline"
DEFAULT_TEXT_FIELD = "text"


def pipeline_body(
    scheme: Scheme = DEFAULT,
    *,
    text_field: str = DEFAULT_TEXT_FIELD,
    simhash_field: str = DEFAULT_FIELD,
    ignore_missing: bool = False,
) -> dict[str, Any]:
    """Return the body of the request that installs the pipeline.

    Args:
        scheme: Scheme of the index the documents go to.
        text_field: Field of the text; dots lead into objects.
        simhash_field: Field of the fingerprints.
        ignore_missing: Leave documents without text as they are, as Elasticsearch's processors do
            with it; otherwise their status says so.

    Raises:
        InputError: A field name is not a path, or the scheme has a key.
    """
    if scheme.key_id is not None:
        raise InputError(
            "The ingest pipeline cannot compute a keyed scheme, as the cluster must not have the "
            "key. Write with `ingest`, `backfill` or `sweep`."
        )
    names = [("text_field", name) for name in field_names(text_field)]
    for parameter, name in [*names, ("simhash_field", simhash_field)]:
        if not all(name.split(".")) or name.startswith("_"):
            raise InputError(
                f"{parameter} must be the name of a field, such as 'body.text', got {name!r}.",
                parameter=parameter,
            )
    body = resources.load("ingest", f"{NAME}.json")
    script = body["processors"][0]["script"]
    set_names(script, scheme, text_field, simhash_field)
    script["params"]["ignore_missing"] = ignore_missing
    return body


def set_names(
    script: dict[str, Any],
    scheme: Scheme = DEFAULT,
    text_field: str = DEFAULT_TEXT_FIELD,
    simhash_field: str = DEFAULT_FIELD,
) -> None:
    """Write scheme and fields into the `params` of the script, and into what a failure sets."""
    script["params"] |= {
        "scheme": scheme.name,
        "bits": scheme.bits,
        "blocks": scheme.blocks,
        "least_tokens": scheme.min_chunk_tokens,
        "most_tokens": scheme.max_chunk_tokens,
        "window": scheme.window,
        "field": ",".join(field_names(text_field)),
        "simhash_field": simhash_field,
    }
    script["on_failure"][0]["set"]["field"] = simhash_field
