"""A Dockerfile as its stages and instructions, and which files of a context a build may copy."""

import fnmatch
import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

_LINE_END = re.compile(r"\\\n")


@dataclass
class Stage:
    """A stage of a Dockerfile.

    Attributes:
        name: Its name.
        parent: Image or stage that it begins with.
        instructions: Each by its name and the rest of its line, in order.
    """

    name: str
    parent: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, instruction: str) -> list[str]:
        """Return the instructions of a name."""
        return [rest for name, rest in self.instructions if name == instruction]

    def words(self, instruction: str) -> list[str]:
        """Return the words of the last instruction of a name, which is a list in JSON."""
        rest = self.all(instruction)[-1]
        words: list[str] = json.loads(rest[rest.index("[") :])
        return words

    @property
    def labels(self) -> dict[str, str]:
        """Return the labels, of which the last of a name counts."""
        pairs = [word.partition("=") for rest in self.all("LABEL") for word in shlex.split(rest)]
        return {name: value for name, _, value in pairs}

    @property
    def copies(self) -> list[tuple[list[str], str]]:
        """Sources and target of what is copied from the context."""
        found = [shlex.split(rest) for rest in self.all("COPY")]
        return [(words[:-1], words[-1]) for words in found if not words[0].startswith("--from")]


def stages(text: str) -> dict[str, Stage]:
    """Return the stages of a Dockerfile, with the instructions of their parents, by name."""
    found: dict[str, Stage] = {}
    arguments: dict[str, str] = {}
    current: Stage | None = None
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in _LINE_END.sub(" ", "\n".join(lines)).splitlines():
        name, rest = line.split(maxsplit=1)
        if name == "ARG" and current is None:
            key, _, value = rest.partition("=")
            arguments[f"${{{key}}}"] = value
        elif name == "FROM":
            image, _, stage = rest.split()
            for key, value in arguments.items():
                image = image.replace(key, value)
            parent = found.get(image)
            base = [] if parent is None else list(parent.instructions)
            current = Stage(stage, parent.parent if parent else image, base)
            found[stage] = current
        else:
            assert current is not None, line
            current.instructions.append((name, rest))
    return found


def is_ignored(path: str, patterns: list[str]) -> bool:
    """Check whether a path of the context is left out: the last pattern that matches decides."""
    ignored = False
    for pattern in patterns:
        is_exception = pattern.startswith("!")
        if _matches(path, pattern.removeprefix("!")):
            ignored = not is_exception
    return ignored


def _matches(path: str, pattern: str) -> bool:
    parts = path.split("/")
    prefixes = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    if pattern.startswith("**/"):
        return any(fnmatch.fnmatch(part, pattern[3:]) for part in parts)
    return any(
        prefix.count("/") == pattern.count("/") and fnmatch.fnmatch(prefix, pattern)
        for prefix in prefixes
    )


def ignore_patterns(file: Path) -> list[str]:
    """Return the patterns of a .dockerignore."""
    lines = file.read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
