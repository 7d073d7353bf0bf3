"""The engine of `make demo`, and local nodes by hand; Elasticsearch unless OpenSearch is named.

python -m scripts.local_node find             prints the address of one, started if need be
python -m scripts.local_node start [--name N] starts a local node, whatever else answers
python -m scripts.local_node status           lists the local nodes that run
python -m scripts.local_node stop [--name N]  stops one; its data are kept
python -m scripts.local_node start --engine opensearch  the same with OpenSearch, or opensearch-2
"""

import argparse
import sys
from collections.abc import Sequence

from es_simhash.errors import EsSimhashError
from scripts.local_node import node
from scripts.local_node.distribution import RELEASES
from scripts.local_node.engine import find_engine


def main(argv: Sequence[str] | None = None) -> None:
    """Find an engine, or start, show or stop a local node."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.local_node",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["find", "start", "status", "stop"])
    parser.add_argument("--engine", choices=list(RELEASES), default="elasticsearch")
    parser.add_argument("--name", help="by default 'default', of another engine its name")
    parser.add_argument("--heap", default=node.DEFAULT_HEAP)
    parser.add_argument("--port", type=int)
    options = parser.parse_args(argv)
    engine: str = options.engine
    name = options.name or (node.DEFAULT_NAME if engine == "elasticsearch" else engine)
    try:
        if options.action == "find":
            found = find_engine(engine, name=name, heap=options.heap)
            print(f"Using {found}.", file=sys.stderr)
            print(found.url)
        elif options.action == "start":
            _show(node.start(name, release=RELEASES[engine], heap=options.heap, port=options.port))
        elif options.action == "status":
            for local in node.running():
                _show(local)
        else:
            stopped = node.stop(name)
            print(f"Node {name} {'is not running' if stopped is None else 'stopped'}.")
    except EsSimhashError as error:
        sys.exit(f"Error: {error}")


def _show(local: node.Node) -> None:
    print(f"{local.url}  {local.version}  node {local.name}, process {local.pid}")


if __name__ == "__main__":
    main()
