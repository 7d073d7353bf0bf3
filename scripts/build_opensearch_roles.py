"""Write the roles of commands in OpenSearch's form, from those of Elasticsearch.

    python -m scripts.build_opensearch_roles

A table of docs/opensearch.md has the permissions of each privilege.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_PAGE = _ROOT / "docs" / "opensearch.md"
ROLES = _ROOT / "mappings" / "roles"
# What every command asks first: which engine answers.
_EVERYONE = "cluster:monitor/main"
_HEADING = "| privilege |"


def permissions() -> dict[str, tuple[list[str], list[str]]]:
    """Return the permissions of each privilege: those on the index, and those on the cluster."""
    table = _PAGE.read_text("utf-8").partition(_HEADING)[2].partition("\n\n")[0]
    rows = (
        [re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")]
        for line in table.splitlines()[2:]
    )
    return {name[0]: (on_index, on_cluster) for name, on_index, on_cluster in rows}


def opensearch_role(role: Mapping[str, Any]) -> dict[str, Any]:
    """Return a role of Elasticsearch as the API of OpenSearch takes it."""
    known = permissions()
    cluster = {_EVERYONE}
    indices = []
    for entry in role["indices"]:
        allowed: dict[str, None] = {}
        for privilege in entry["privileges"]:
            on_index, on_cluster = known[privilege]
            allowed |= dict.fromkeys(on_index)
            cluster.update(on_cluster)
        indices.append({"index_patterns": entry["names"], "allowed_actions": [*allowed]})
    return {"cluster_permissions": sorted(cluster), "index_permissions": indices}


def files() -> Iterator[tuple[Path, str]]:
    """Yield each file, and what it has to hold."""
    for path in sorted(ROLES.glob("*.json")):
        role = opensearch_role(json.loads(path.read_text("utf-8")))
        yield ROLES / "opensearch" / path.name, json.dumps(role, indent=2) + "\n"


if __name__ == "__main__":
    for file, content in files():
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, "utf-8")
