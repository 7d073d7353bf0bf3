"""A folder in which the blocks of a page are run: commands, Python and requests."""

import json
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from es_simhash.cli.main import cli
from tests.support.page_blocks import Block

_URL = "localhost:9200"
_RUN = re.compile(r"\b[0-9a-f]{12}\b")
_NEW_RUN = re.compile(r"\(run ([0-9a-f]{12})\)")


class PageShell:
    """Runs the blocks of a page in the current folder.

    Commands of es-simhash run in this process, which is ten times as fast as a shell of their own;
    everything else is a line of bash.
    """

    def __init__(self, client: Any, url: str, indices: Mapping[str, str]) -> None:
        """Take an engine, and what the indices that the page names are called here."""
        self._client, self._url, self._indices = client, url, indices
        self._run = ""
        self.names: dict[str, Any] = {}
        self.printed: dict[str, str] = {}
        # Answers to requests by their body, as they were at their place in the page.
        self.answers: dict[str, Any] = {}

    def run(self, block: Block) -> None:
        """Run a block; every command, request and statement of it succeeds."""
        if block.request is not None:
            self.answers[block.request[2]] = self.send(*block.request)
        elif block.language == "python":
            exec(compile(self._here(block.body), "<page>", "exec"), self.names)
        else:
            for command in block.commands:
                self.type(command)

    def after(self, start: str) -> str:
        """Return what the first line that starts so printed, its spaces and line ends as one."""
        return next(
            " ".join(printed.split())
            for line, printed in self.printed.items()
            if line.startswith(start)
        )

    def type(self, line: str) -> str:
        """Type a line, which succeeds, and return what it prints."""
        words = shlex.split(self._here(line))
        if words[0] != "es-simhash":
            printed = self._bash(line)
        else:
            redirected = next((sign for sign in (">", ">>") if sign in words), None)
            place = words.index(redirected) if redirected else len(words)
            result = CliRunner().invoke(cli, words[1:place], catch_exceptions=False)
            assert result.exit_code == 0, (line, result.output)
            if redirected:
                Path(words[place + 1]).write_text(result.stdout, "utf-8")
            printed = result.output
            if found := _NEW_RUN.search(printed):
                self._run = found[1]
        self.printed[line] = printed
        return printed

    def _bash(self, line: str) -> str:
        done = subprocess.run(["bash", "-c", self._here(line)], capture_output=True, text=True)
        assert done.returncode == 0, (line, done.stderr)
        return done.stdout

    def send(self, method: str, path: str, body: str) -> Any:
        """Send a request, which succeeds, and return the answer."""
        lines = path.endswith(("_bulk", "_msearch"))
        headers = {
            "accept": "application/json",
            "content-type": "application/x-ndjson" if lines else "application/json",
        }
        target = f"/{self._here(path).lstrip('/')}"
        typed = self._here(body)
        # As a client sends it, which knows what is in the lines.
        sent: Any = list(map(json.loads, typed.splitlines())) if lines else typed
        answer = self._client.perform_request(method, target, headers=headers, body=sent)
        return answer.body

    def _here(self, text: str) -> str:
        """Return a text with the address, the indices and the last run as they are here."""
        text = text.replace(_URL, self._url.removeprefix("http://"))
        for name, index in self._indices.items():
            text = re.sub(rf"\b{name}\b", index, text)
        return _RUN.sub(self._run, text) if self._run else text
