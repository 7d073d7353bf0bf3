"""How many of many requests are answered as the OpenAPI document of the service says.

    python -m tests.bench.service_contract [--seconds 240] [--documents 200]

Serves an index and lets Schemathesis make requests of its OpenAPI document, valid ones and others,
for so long, with all of its checks (`tests/bench/schemathesis.toml`). Prints how many requests were
sent and what was found.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from es_simhash.maintenance.families.find_families import find_families
from es_simhash.store.elasticsearch.connection import connect
from scripts.local_node import node as nodes
from tests.bench.program import run
from tests.bench.served_index import INDEX, fill, made_up, served

_NODE = "bench-contract"
_RULES = Path(__file__).with_name("schemathesis.toml")
_CASES = re.compile(r"(\d+) generated")


def main(argv: Sequence[str] | None = None) -> None:
    """Check the service against its description, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=240)
    parser.add_argument("--documents", type=int, default=200)
    options = parser.parse_args(argv)
    node = nodes.start(name=_NODE, heap="512m")
    try:
        with connect(node.url) as client:
            count = fill(client, made_up(options.documents))
            find_families(client, INDEX)
        print(f"on Elasticsearch {node.version}, {count} documents")
        with served(node.url, 1, 0) as (port, _):
            _check(f"http://127.0.0.1:{port}/v1/openapi.json", options.seconds)
    finally:
        nodes.stop(_NODE)


def _check(description: str, seconds: int) -> None:
    line = [str(Path(sys.executable).with_name("st")), "--config-file", str(_RULES)]
    line += ["run", description, "--checks", "all", "--mode", "all", "--continue-on-failure"]
    line += ["--max-time", str(seconds), "--no-color"]
    done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stdout)
    counted = _CASES.search(done.stdout)
    assert counted is not None, done.stdout
    found = "nothing found" if done.returncode == 0 else "see above for what was found"
    print(f"{counted[1]} requests with all checks: {found}")


if __name__ == "__main__":
    run(main)
