"""Fingerprints a second in one process, beside PyPI `simhash` with its defaults on the same texts.

    python -m tests.bench.speed [--texts 600] [--rounds 5]

The texts are news articles of the evaluation data, or synthetic ones when it is absent. The
programs take turns; each figure is the median of its rounds, in processor time.
"""

import argparse
import cProfile
import io
import pstats
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from es_simhash.errors import InputError, MissingExtra
from es_simhash.fingerprints.text_fingerprints import fingerprint_batch
from es_simhash.text.segmentation import text_batches
from tests.bench import synthetic
from tests.bench.program import run
from tests.bench.timing import rate
from tests.support import datasets
from tests.support.document_fingerprints import document_fingerprints


def _texts(count: int) -> tuple[str, list[str]]:
    try:
        return "bbc_news", [each["text"] for each in datasets.documents("bbc_news")][:count]
    except InputError:
        return "synthetic", list(synthetic.texts(0, count, 20))


def _pypi(texts: Sequence[str]) -> Callable[[], int]:
    try:
        from simhash import Simhash
    except ImportError as error:
        raise MissingExtra(
            "The comparison needs PyPI simhash: pip install 'es-simhash[bench]'."
        ) from error

    def work() -> int:
        for text in texts:
            # It fails under numpy 2 when a feature occurs more than 255 times.
            with suppress(OverflowError):
                Simhash(text)
        return len(texts)

    return work


def _ours(function: Callable[[list[str]], object], texts: Sequence[str]) -> Callable[[], int]:
    def work() -> int:
        for batch in text_batches(texts):
            function(batch)
        return len(texts)

    return work


def _where_the_time_goes(texts: Sequence[str]) -> str:
    profile = cProfile.Profile()
    profile.runcall(_ours(fingerprint_batch, texts))
    out = io.StringIO()
    pstats.Stats(profile, stream=out).sort_stats("cumtime").print_stats(
        r"\((normalise_all|segment|token_numbers|chunk_characters|run_fingerprints|xxh64|"
        r"_bit_counts|content_hashes|sketches|winnow)\)"
    )
    lines = [line for line in out.getvalue().splitlines() if "es_simhash" in line]
    return "\n".join(f"  {line.split()[3]:>8} s  {line.rsplit('(', 1)[1][:-1]}" for line in lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the rates, the ratios and where the time goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(argv)
    name, texts = _texts(options.texts)
    programs = {
        "PyPI simhash, defaults": _pypi(texts),
        "document fingerprint": _ours(document_fingerprints, texts),
        "document, chunks and passages": _ours(fingerprint_batch, texts),
    }
    rates: dict[str, list[float]] = {program: [] for program in programs}
    for _ in range(options.rounds):
        for program, work in programs.items():
            rates[program].append(rate(work, time.process_time))
    medians = {program: statistics.median(values) for program, values in rates.items()}
    theirs = medians["PyPI simhash, defaults"]
    characters = statistics.mean(map(len, texts))
    print(f"{len(texts)} texts of {name}, {characters:.0f} characters on average, one process")
    for program, median in medians.items():
        print(f"{program:32s} {median:8.0f} documents/s   {median / theirs:5.1f} x")
    print(f"where the time of the last goes ({len(texts)} texts, cumulated, with the profiler on):")
    print(_where_the_time_goes(texts))


if __name__ == "__main__":
    run(main)
