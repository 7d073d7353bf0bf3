"""Synonym files in the format of Solr and Elasticsearch.

`a, b, c` are equivalent: one concept, displayed as `a`. `a, b => c` makes a concept displayed as
`c` with the further labels `a` and `b`; with `=> c, d` both get them. A backslash escapes the next
character (`\\,`, `\\=>`, `\\\\`), a line that begins with # is a comment.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.semantics.vocabularies.label_texts import (
    MAX_LABEL_LENGTH,
    clean_label,
    decode,
    primary_language,
    quoted,
    read_bytes,
)
from es_simhash.semantics.vocabularies.vocabulary import DEFAULT_LANGUAGE, Concept, Vocabulary

_NEWLINE = re.compile(r"\r\n?|\n")
# An escaped character, an arrow, a comma, or what is between them.
_PIECE = re.compile(r"\\.|=>|,|\\$|[^\\,=]+|=")


class _BrokenLine(Exception):
    """A line that is not in the format."""


@dataclass
class _Groups:
    """Concepts under construction: labels of each, the preferred one first."""

    labels: dict[str, list[str]] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, labels: list[str]) -> None:
        """Add equivalent labels as a new concept: a label may belong to several."""
        id = labels[0]
        while id in self.labels:
            self.seen[labels[0]] += 1
            id = f"{labels[0]} ({self.seen[labels[0]] + 1})"
        self.first.setdefault(labels[0], id)
        self.labels[id] = labels

    def extend(self, target: str, labels: list[str]) -> None:
        """Add labels to the concept displayed as the target; create it when there is none."""
        if target not in self.first:
            self.add([target])
        self.labels[self.first[target]].extend(labels)


def read_synonyms(path: str | Path, language: str = DEFAULT_LANGUAGE) -> Vocabulary:
    """Return the synonyms of a file as a vocabulary of one language, each group one concept.

    Raises:
        InputError: The file cannot be read, is not UTF-8, has a broken line, or no synonyms.
    """
    path = Path(path)
    groups, problems = _Groups(), []
    for number, line in enumerate(_NEWLINE.split(decode(read_bytes(path), path)), 1):
        try:
            problems += [f"Line {number}: {problem}" for problem in _add_line(line, groups)]
        except _BrokenLine as error:
            raise InputError(f"{path}, line {number}: {error}.") from None
    if not groups.labels:
        raise InputError(f"{path} has no synonyms: write a line such as 'car, automobile'.")
    return _vocabulary(groups, primary_language(language), tuple(problems))


def _add_line(line: str, groups: _Groups) -> Iterator[str]:
    """Add a line to the groups; yield a sentence for each label left out."""
    if not line.strip() or line.lstrip().startswith("#"):
        return
    sides = _sides(line)
    valid = [[label for label in side if len(label) <= MAX_LABEL_LENGTH] for side in sides]
    for label in (label for side in sides for label in side if len(label) > MAX_LABEL_LENGTH):
        yield (
            f"the term {quoted(label)} has {len(label)} characters, more than {MAX_LABEL_LENGTH}, "
            "and is left out."
        )
    if len(valid) == 1 and valid[0]:
        groups.add(valid[0])
    elif len(valid) == 2:
        for target in valid[1]:
            groups.extend(target, valid[0])


def _sides(line: str) -> list[list[str]]:
    """Return the terms of a line: those left and those right of the arrow, if there is one."""
    sides = [[""]]
    for piece in _PIECE.findall(line.strip()):
        if piece == "=>":
            sides.append([""])
        elif piece == ",":
            sides[-1].append("")
        elif piece == "\\":
            raise _BrokenLine("it ends in a backslash, which takes nothing as it is: double it")
        else:
            sides[-1][-1] += piece[1:] if piece.startswith("\\") else piece
    return _checked([[clean_label(term) for term in side] for side in sides])


def _checked(sides: list[list[str]]) -> list[list[str]]:
    if len(sides) > 2:
        raise _BrokenLine(
            f"it has {len(sides) - 1} arrows (=>) where one is allowed: write \\=> "
            "for one that belongs to a term"
        )
    for side, name in zip(sides, ("left", "right"), strict=False):
        if len(sides) == 2 and side == [""]:
            raise _BrokenLine(f"there is no term to the {name} of the arrow (=>)")
        if "" in side:
            raise _BrokenLine(
                f"term {side.index('') + 1}"
                + (f" to the {name} of the arrow (=>)" if len(sides) == 2 else "")
                + " is empty: take out the comma, or write \\, for one that belongs to a term"
            )
    return sides


def _vocabulary(groups: _Groups, language: str, problems: tuple[str, ...]) -> Vocabulary:
    concepts = {
        id: Concept(id, {language: labels[0]}, {language: tuple(dict.fromkeys(labels))})
        for id, labels in groups.labels.items()
    }
    return Vocabulary(concepts, language, problems=problems)
