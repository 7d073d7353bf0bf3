"""The targets of `tests.fuzz`, steered by the code that they reach (libFuzzer, by atheris).

    python -m tests.fuzz.guided [--seconds 60] [--seed 1] [--only NAME]

Each target has a process for so many seconds. What it chooses is read from bytes; those that reach
branches of the package which none reached before are kept, and changed further. A finding is
whatever the target raises, one input that takes more than a minute, or 4 GiB of memory; the bytes
that repeat it are kept in `build/fuzz`. The exit status is 1 if there is one.
"""

import logging
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.program import run
from tests.fuzz.options import chosen, parser_of

_FOLDER = Path("build/fuzz")
_LIMITS = ("-max_len=4096", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1")
_INPUTS = re.compile(r"number_of_executed_units: (\d+)")
_BRANCHES = re.compile(r"cov: (\d+)")
_SHOWN = 12
_MODULE, _STEER = "tests.fuzz.guided", "steer"


class ChosenByBytes(random.Random):
    """Chooses by bytes, from the first bit on, and by a seed made of them when they are used up.

    Attributes:
        most: Inputs of a batch: few, so that each input says what it has reached.
    """

    most = 2

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._bits, self._left = int.from_bytes(data, "little"), 8 * len(data)

    def getrandbits(self, k: int) -> int:
        """Return so many bits."""
        if self._left < k:
            return super().getrandbits(k)
        bits = self._bits & ((1 << k) - 1)
        self._bits >>= k
        self._left -= k
        return bits

    def random(self) -> float:
        """Return a number from 0 to 1, without 1."""
        return self.getrandbits(16) / (1 << 16)


def main(argv: Sequence[str] | None = None) -> int:
    """Give each target its time, and print how much it had and what was found."""
    from tests.fuzz.targets import TARGETS

    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args(argv)
    names = chosen(options.only, TARGETS)
    print(f"seed {options.seed}", flush=True)
    _FOLDER.mkdir(parents=True, exist_ok=True)
    inputs = findings = 0
    for name in names:
        of = (f"-max_total_time={options.seconds}", f"-seed={options.seed}")
        place = f"-artifact_prefix={_FOLDER}/{name.replace(' ', '-')}-"
        line = [sys.executable, "-m", _MODULE, _STEER, name, *_LIMITS, *of, place]
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
        counts, branches = _INPUTS.findall(done.stderr), _BRANCHES.findall(done.stderr)
        inputs += int(counts[-1]) if counts else 0
        print(
            f"{int(counts[-1]) if counts else 0:9,} {name}, {branches[-1] if branches else 0} "
            "branches",
            flush=True,
        )
        if done.returncode:
            findings += 1
            print("\n".join(done.stderr.splitlines()[-_SHOWN:]), flush=True)
    print(f"{inputs:9,} inputs; {findings} findings")
    return 1 if findings else 0


def steer(name: str, options: Sequence[str]) -> None:
    """Give a target input for as long as options of libFuzzer say; the process ends in here."""
    import atheris

    with atheris.instrument_imports(include=["es_simhash"]):
        from tests.fuzz.targets import TARGETS
    logging.disable(logging.WARNING)
    target = TARGETS[name]
    atheris.Setup([_MODULE, *options], lambda data: target(ChosenByBytes(data)))
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == [_STEER]:
        steer(sys.argv[2], sys.argv[3:])
    run(main)
