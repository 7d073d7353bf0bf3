"""Write docs/output.schema.json: the JSON Schema of what commands print, made of its types.

python -m scripts.build_output_schema
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from es_simhash.cli.printed_types import PRINTED

PLACE = Path(__file__).resolve().parents[1] / "docs" / "output.schema.json"


def output_schema() -> dict[str, Any]:
    """Return the schema: `commands` has one for each command, of what it prints."""
    schemas, types = msgspec.json.schema_components(
        list(PRINTED.values()), ref_template="#/$defs/{name}"
    )
    for each in types.values():
        # What follows are the members, which docs/json.md has.
        each["description"] = each.get("description", "").partition("\n")[0]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What es-simhash prints with --format json",
        "commands": dict(zip(PRINTED, schemas, strict=True)),
        "$defs": {name: types[name] for name in sorted(types)},
    }
    written: dict[str, Any] = json.loads(json.dumps(schema))
    return written


def main() -> None:
    """Write the file."""
    PLACE.write_text(json.dumps(output_schema(), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
