"""Workers of a service and their supervisor are killed while it is asked and labels are written.

Of a worker that is killed the requests are lost that it has; whatever is asked again is answered,
as before, by the other one, and a new one is started. That one refuses what would wait for its
first, slow answers: these are asked again when it says. A label that was confirmed is in the file,
once. When the supervisor is killed, its workers end and the port is free.
"""

import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from es_simhash.store.elasticsearch.connection import connect
from tests.bench.served_index import INDEX, fill, made_up
from tests.faults.trials import DISHONEST, DOUBLED, LOST, Tally
from tests.support.label_forms import form, open_page, send
from tests.support.processes import children, command_line, running

WORKER_KILLED, SUPERVISOR_KILLED = "worker killed", "supervisor killed"
WRONG_ANSWERS, UNANSWERED, LEFT = "wrong answers", "unanswered requests", "processes left"
FINDINGS = (LOST, DOUBLED, DISHONEST, WRONG_ANSWERS, UNANSWERED, LEFT)
_DOCUMENTS, _WORKERS, _READERS = 120, 2, 3
# Seconds that workers have to start or to end, that a label may take to come, and to be written.
_PATIENCE, _LABEL_COMES, _LABEL_TAKES = 60.0, 45.0, 0.03
# Every so many kills it is the supervisor's.
_SUPERVISOR_EVERY = 4
_PATHS = ("/v1/related/{}", "/v1/compare/{}/1", "/v1/documents/{}")
_LABELLED = 303
# How often a request may be refused one time after the other.
_REFUSALS = 20


def kill_service(url: str, seed: int, kills: int) -> Tally:
    """Kill so many processes of a service, and return what was found."""
    with connect(url) as client, tempfile.TemporaryDirectory() as folder:
        fill(client, made_up(_DOCUMENTS))
        trial = ServiceTrial(url, Path(folder), random.Random(f"{seed} service"))
        trial.run(kills)
        print(trial)
        for problem in trial.tally.problems:
            print(f"  {problem}", file=sys.stderr)
        return trial.tally


class ServiceTrial:
    """A service under load, of which processes are killed.

    Args:
        url: Of the engine.
        folder: For the file of labels and the log.
        chosen: Decides when what is killed.
    """

    def __init__(self, url: str, folder: Path, chosen: random.Random) -> None:
        self.tally = Tally()
        self._url, self._chosen = url, chosen
        self._labels, self._log = folder / "labels.tsv", folder / "log"
        self._answered = Counter[int]()
        self._refused = 0
        self._truth: dict[str, Any] = {}
        self._confirmed: list[str] = []
        self._unsure: set[str] = set()
        self._is_over, self._is_up = threading.Event(), threading.Event()
        self._is_labelling = threading.Event()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]

    def __str__(self) -> str:
        answered = self._answered[int(httpx.codes.OK)]
        labels = len(self._confirmed)
        return f"{answered} requests answered, {self._refused} refused, {labels} labels confirmed"

    def run(self, kills: int) -> None:
        """Serve, ask, kill, and look at what is left."""
        load = [threading.Thread(target=self._read, args=(n,)) for n in range(_READERS)]
        load.append(threading.Thread(target=self._label))
        killed = started = 0
        while killed < kills:
            with self._served() as process:
                if not started:
                    self._learn()
                    for thread in load:
                        thread.start()
                started += 1
                self._is_up.set()
                while killed < kills:
                    killed += 1
                    # Most while a label is written.
                    self._is_labelling.wait(_LABEL_COMES)
                    time.sleep(self._chosen.uniform(0, _LABEL_TAKES))
                    if killed % _SUPERVISOR_EVERY == 0:
                        self._kill_supervisor(process)
                        break
                    self._kill_worker(process)
                if killed == kills:
                    self._is_over.set()
                    self._is_up.set()
                    for thread in load:
                        thread.join()
        self.tally.trials["service"] = started
        self.tally.runs, self.tally.documents = started, _DOCUMENTS
        self._compare_labels()
        deaths = self._log.read_text("utf-8").count('"worker died"')
        if deaths != self.tally.injected[WORKER_KILLED]:
            what = f"the log names {deaths} workers that died"
            self.tally.find(DISHONEST, what)

    @contextmanager
    def _served(self) -> Iterator[Any]:
        line = ("serve", INDEX, "--port", self._port, "--workers", _WORKERS)
        environment = {**os.environ, "ELASTICSEARCH_URL": self._url}
        with self._log.open("a") as log:
            pipes = {"stdout": log, "stderr": log, "env": environment}
            with running(command_line(*line, "--labels", self._labels), **pipes) as process:
                self._wait(self._is_ready, "the service starts")
                yield process
                process.terminate()
                process.wait(_PATIENCE)

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self._address}/readyz", timeout=5).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    @property
    def _address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def _learn(self) -> None:
        """Ask everything once, before anything is killed."""
        for id in range(0, _DOCUMENTS, 13):
            for path in (each.format(id) for each in _PATHS):
                answer = self._asked(path)
                assert answer is not None
                assert answer.status_code == httpx.codes.OK, answer.text
                self._truth[path] = answer.json()

    def _kill_worker(self, process: Any) -> None:
        workers = _workers(process.pid)
        os.kill(self._chosen.choice(workers), signal.SIGKILL)
        self.tally.injected[WORKER_KILLED] += 1

        def are_again() -> bool:
            now = _workers(process.pid)
            return len(now) == _WORKERS and set(now) != set(workers)

        self._wait(are_again, "the worker is replaced")

    def _kill_supervisor(self, process: Any) -> None:
        workers = _workers(process.pid)
        self._is_up.clear()
        process.kill()
        process.wait()
        self.tally.injected[SUPERVISOR_KILLED] += 1
        self._wait(lambda: not any(map(_is_alive, workers)), "the workers end")

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + _PATIENCE
        while not condition():
            if time.monotonic() > until:
                self.tally.find(LEFT, f"for {_PATIENCE:.0f} s it is not so that {what}")
                return
            time.sleep(0.02)

    def _read(self, number: int) -> None:
        """Ask until it is over; a request that is not answered is sent once more."""
        chosen = random.Random(number)
        while not self._is_over.is_set():
            self._is_up.wait()
            path = chosen.choice([*self._truth])
            answer = self._asked(path)
            if answer is None and self._is_up.is_set():
                answer = self._asked(path)
            if self._is_over.is_set():
                return
            self._answered[0 if answer is None else answer.status_code] += 1
            if answer is None:
                if self._is_up.is_set():
                    self.tally.find(UNANSWERED, f"{path}, twice")
            elif answer.status_code != httpx.codes.OK or answer.json() != self._truth[path]:
                what = f"{answer.status_code} {answer.text}, before {self._truth[path]}"
                self.tally.find(WRONG_ANSWERS, f"{path}: {what}")

    def _asked(self, path: str) -> httpx.Response | None:
        """Return the answer, when it is not refused any more; None where the connection ends."""
        for _ in range(_REFUSALS):
            try:
                answer = httpx.get(f"{self._address}{path}", timeout=60)
            except httpx.HTTPError:
                return None
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                return answer
            self._refused += 1
            # Without a number it is no refusal.
            self._is_over.wait(float(answer.headers["retry-after"]))
        return answer

    def _label(self) -> None:
        """Label until it is over; what was confirmed is noted, and what may have been written."""
        while not self._is_over.is_set():
            self._is_up.wait()
            try:
                with httpx.Client(base_url=self._address, timeout=60) as http:
                    fields = form(open_page(http))
                    pair = fields["pair"]
                    self._unsure.add(pair)
                    self._is_labelling.set()
                    if send(http, fields).status_code == _LABELLED:
                        self._confirmed.append(pair)
            except httpx.HTTPError:
                continue
            finally:
                self._is_labelling.clear()

    def _compare_labels(self) -> None:
        lines = self._labels.read_text("utf-8").splitlines()[1:]
        written = Counter("/".join(map(quote, line.split("\t")[:2])) for line in lines)
        for pair in self._confirmed:
            if not written[pair]:
                self.tally.find(LOST, f"the label of {pair}")
        for pair, count in written.items():
            if count > 1:
                self.tally.find(DOUBLED, f"the label of {pair}")
            if pair not in self._unsure:
                self.tally.find(DISHONEST, f"a label of {pair} that nobody gave")


def _workers(supervisor: int) -> list[int]:
    found = []
    for process in children(supervisor):
        try:
            line = Path(f"/proc/{process}/cmdline").read_text()
        except OSError:
            continue
        if "spawn_main" in line:
            found.append(process)
    return found


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
