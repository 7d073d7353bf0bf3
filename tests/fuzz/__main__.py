"""Hostile input is given to all that reads texts, files and stored values, by a seed.

    python -m tests.fuzz [--seed 1] [--inputs 2000000] [--only NAME]

The targets take turns, a batch each: texts, what is printed, lines of JSON, stored values, changes,
comparisons, names and concepts, audit logs, journals, files of every format, vocabularies, spaCy
pipelines, what is sent to a cluster and what it answers, damaged in any place. Slow ones have few
inputs in a batch; what needs a package that is not installed is left out, and named. A finding is
whatever is raised but the errors of the package where they are allowed, or a batch that takes more
than a minute. Before that, large inputs are read, and it is measured that the time of each reader
and of each regular expression of the package grows as the length of what it reads. The exit status
is 1 if there is a finding, which is printed with the call that repeats it.
"""

import logging
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from types import FrameType

from tests.bench.program import run
from tests.fuzz.expressions import collected, sources
from tests.fuzz.growth import (
    LARGE,
    LARGE_SECONDS,
    PARTS,
    READERS,
    grown,
    seconds_of,
    slow_inputs,
)
from tests.fuzz.options import chosen, parser_of
from tests.fuzz.targets import TARGETS, left_out, run_target

# Seconds of the processor: a machine that stands still is no fault of a reader.
_HANGS = 60


def main(argv: Sequence[str] | None = None) -> int:
    """Fuzz until there were so many inputs, and print what was found."""
    parser = parser_of(__doc__)
    parser.add_argument("--inputs", type=int, default=2_000_000)
    options = parser.parse_args(argv)
    names = chosen(options.only, TARGETS)
    # What is passed over is said in warnings, thousands of times.
    logging.disable(logging.WARNING)
    signal.signal(signal.SIGPROF, _hangs)
    print("\n".join([f"seed {options.seed}", *left_out()]), flush=True)
    findings = 0
    for finding in growth():
        findings += 1
        print(f"  {finding}", flush=True)
    started = time.monotonic()
    counts: Counter[str] = Counter()
    number = 0
    while counts.total() < options.inputs:
        name = names[number % len(names)]
        signal.setitimer(signal.ITIMER_PROF, _HANGS)
        try:
            counts[name] += run_target(name, options.seed, number)
        except Exception as error:
            findings += 1
            call = f"run_target({name!r}, {options.seed}, {number})"
            print(f"  {call}: {type(error).__name__}: {error!s:.200}", flush=True)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        number += 1
    for name, count in counts.items():
        print(f"{count:9,} {name}")
    seconds = time.monotonic() - started
    print(f"{counts.total():9,} inputs in {number} batches, {seconds:.0f} s; {findings} findings")
    return 1 if findings else 0


def growth() -> Iterator[str]:
    """Yield what takes longer than its length explains, and print how much was measured."""
    for name, call in LARGE.items():
        if (seconds := seconds_of(call)) > LARGE_SECONDS:
            yield f"{name} took {seconds:.1f} s"
    for name, (read, length) in READERS.items():
        for part, text in PARTS.items():
            if not (measured := grown(read, text, length)).is_linear:
                yield f"{name} of {part}: {measured}"
    found = collected(sources())
    for expression in found.expressions:
        for pump, measured in slow_inputs(expression.pattern, expression.uses):
            yield f"{expression.place} on {pump!r}: {measured}"
    yield from (f"{place} uses an expression that is not measured" for place in found.missed)
    print(
        f"{len(LARGE)} large inputs, {len(READERS) * len(PARTS)} growths of readers and "
        f"{len(found.expressions)} regular expressions measured",
        file=sys.stdout,
        flush=True,
    )


def _hangs(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"no end after {_HANGS} s")


if __name__ == "__main__":
    run(main)
