"""How large the widget is, and how soon it shows an answer.

    python -m tests.bench.widget [--rounds 20]

Prints the size of `widget/related-documents.js`, as it is and compressed by gzip, and the time from
the last byte of an answer to the frame that shows it, in Chromium without a window, of real answers
for the sample documents and of one with 50 relations.
"""

import argparse
import gzip
import statistics
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Any

from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.support.browser import chromium
from tests.support.widget_answers import Answers, answers, sample
from tests.support.widget_pages import address, paint_time, wait_for
from tests.support.widget_site import SCRIPT, Site, serving

_INDEX = "bench-widget"
_MANY = 50


def sample_answers() -> Answers:
    """Return what an engine answers for the sample documents that have relations."""
    with bench_client() as client:
        names = [_INDEX, f"{_INDEX}-simhash"]
        client.indices.delete(index=names, ignore_unavailable=True)
        try:
            found = answers(client, _INDEX, sample())
        finally:
            client.indices.delete(index=names, ignore_unavailable=True)
    return {id: answer for id, answer in found.items() if answer["relations"]}


def times(browser: Any, site: Site, ids: Sequence[str], rounds: int) -> Iterator[float]:
    """Yield the time to paint an answer, each in a page of its own."""
    for id in islice(cycle(ids), rounds):
        page = browser.new_page()
        page.goto(address(site.url, id))
        wait_for(page, "ready")
        yield paint_time(page)
        page.close()


def main(argv: Sequence[str] | None = None) -> None:
    """Print size and times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(argv)
    content = SCRIPT.read_bytes()
    compressed = len(gzip.compress(content, 9))
    print(f"{SCRIPT.name}: {len(content):,} bytes, {compressed:,} compressed by gzip")
    found = sample_answers()
    relations = [relation for answer in found.values() for relation in answer["relations"]][:_MANY]
    many = {"many": {**next(iter(found.values())), "relations": relations}}
    with serving() as site, chromium() as browser:
        for name, chosen in (("sample documents", found), (f"{len(relations)} relations", many)):
            site.reset(chosen)
            measured = sorted(times(browser, site, list(chosen), options.rounds))
            print(
                f"painted after the answer, {name}: median {statistics.median(measured):.0f} ms, "
                f"slowest {measured[-1]:.0f} ms of {len(measured)}"
            )


if __name__ == "__main__":
    run(main)
