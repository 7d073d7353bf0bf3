"""Asks an index what it is told on standard input, and prints how long each question took.

`tests.bench.candidates` runs it as a file, with the package of the checkout that it measures: so it
imports nothing but what any checkout has.
"""

import json
import sys
import time

import es_simhash
from es_simhash import Index, SearchOptions, connect


def main(url: str, name: str) -> None:
    """Answer each line, with a question, by the milliseconds it took."""
    index = Index(connect(url), name)
    print(es_simhash.__file__, flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        options = SearchOptions(kinds=tuple(question["kinds"]))
        start = time.perf_counter()
        index.related(id=question["id"], options=options)
        print((time.perf_counter() - start) * 1000, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
