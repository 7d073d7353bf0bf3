"""Questions asked at once without waiting, compared with a client that waits in threads.

    python -m tests.bench.async_questions [--documents 2000] [--at-once 50] [--rounds 6] [--keep]

Documents are those of `tests.bench.served_index`. The same questions are asked, in turns, by
`AsyncIndex`, all at once in one event loop, and by `Index` in as many threads. Prints questions a
second of both, their ratio by rounds, and the longest that the event loop was kept from anything
else, with the median over the rounds. The exit status is 1 when an answer differs.
"""

import argparse
import asyncio
import gc
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from elasticsearch import AsyncElasticsearch

from es_simhash import AsyncIndex, Index
from es_simhash.ingestion.ingest import ingest
from es_simhash.store.elasticsearch.errors import address
from es_simhash.store.installation.install import install
from tests.bench.engines import bench_client
from tests.bench.program import run
from tests.bench.served_index import made_up as documents

INDEX = "bench-async"
# Seconds between two looks at the clock of the event loop.
_TICK = 0.002


def threaded(index: Index, ids: Sequence[str], at_once: int) -> tuple[list[Any], float]:
    """Return the answers of a client that waits, and the seconds they took."""
    with ThreadPoolExecutor(at_once) as pool:
        start = time.perf_counter()
        answers = list(pool.map(lambda id: index.related(id=id), ids))
        return answers, time.perf_counter() - start


async def awaited(index: AsyncIndex, ids: Sequence[str]) -> tuple[list[Any], float, float]:
    """Return the answers, the seconds they took, and the longest pause of the event loop."""
    watch = asyncio.create_task(_longest_pause())
    await asyncio.sleep(0)
    start = time.perf_counter()
    answers = await asyncio.gather(*(index.related(id=id) for id in ids))
    seconds = time.perf_counter() - start
    watch.cancel()
    return answers, seconds, await watch


async def _longest_pause() -> float:
    longest, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(_TICK)
            now = time.perf_counter()
            longest, last = max(longest, now - last - _TICK), now
    except asyncio.CancelledError:
        return longest


async def compare(client: Any, ids: Sequence[str], rounds: int) -> int:
    """Print the figures of all rounds; return the number of answers that differ."""
    waiting = Index(client, INDEX)
    ratios, pauses, differing = [], [], 0
    async with AsyncElasticsearch(address(client), request_timeout=120) as asynchronous:
        index = AsyncIndex(asynchronous, INDEX)
        await index.related(id=ids[0])
        waiting.related(id=ids[0])
        # As a service does once it has started: what stays is not searched again.
        gc.collect()
        gc.freeze()
        for number in range(rounds):
            expected, seconds = await asyncio.to_thread(threaded, waiting, ids, len(ids))
            answers, own, pause = await awaited(index, ids)
            differing += sum(one != other for one, other in zip(answers, expected, strict=True))
            ratios.append(seconds / own)
            pauses.append(pause)
            print(
                f"round {number + 1}: threads {len(ids) / seconds:.1f}/s, "
                f"without waiting {len(ids) / own:.1f}/s, ratio {ratios[-1]:.2f}, "
                f"longest pause {pause * 1000:.0f} ms"
            )
    print(
        f"median ratio {statistics.median(ratios):.2f}, longest pause: median "
        f"{statistics.median(pauses) * 1000:.0f} ms, greatest {max(pauses) * 1000:.0f} ms; "
        f"{differing} answers differ"
    )
    return differing


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args(argv)
    with bench_client() as client:
        client.indices.delete(index=INDEX, ignore_unavailable=True)
        install(client, INDEX)
        for outcome in ingest(client, INDEX, documents(options.documents)):
            assert outcome.ok, outcome
        client.indices.refresh(index=INDEX)
        step = max(1, options.documents // options.at_once)
        ids = [str(number * step) for number in range(options.at_once)]
        differing = asyncio.run(compare(client, ids, options.rounds))
        if not options.keep:
            client.indices.delete(index=INDEX)
    return int(differing > 0)


if __name__ == "__main__":
    run(main)
