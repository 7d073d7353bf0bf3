"""Readers of the evaluation data, which stands beside the repository and is never shipped."""

import csv
import json
import os
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from es_simhash.errors import InputError
from tests.support.data_sources import SOURCES

Pair = tuple[str, str]


class MissingData(InputError):
    """A set of the evaluation data is not there."""


def data_folder() -> Path:
    """Return the folder of the data sets: ES_SIMHASH_DATA, or shared/data beside the repository.

    Raises:
        MissingData: It is not there.
    """
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("ES_SIMHASH_DATA") or beside)
    if not folder.is_dir():
        raise MissingData(
            f"No evaluation data at {folder}. Set ES_SIMHASH_DATA to its folder; "
            "docs/experiments.md says where each set comes from."
        )
    return folder


def data_file(name: str, file: str) -> Path:
    """Return the path of a file of a set.

    Raises:
        MissingData: It is not there.
    """
    path = data_folder() / name / file
    if not path.is_file():
        raise MissingData(
            f"No file {path}: the set comes from {SOURCES[name]}. "
            "Make it as docs/experiments.md says, or set ES_SIMHASH_DATA."
        )
    return path


def pair(one: str, other: str) -> Pair:
    """Return two ids in their canonical order."""
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True)
class VersionSet:
    """A collection with known version pairs.

    Attributes:
        name: Of its folder.
        documents: As they are in the file.
        characters: Whether its texts are measured in characters rather than in words.
    """

    name: str
    documents: list[dict[str, str]]
    characters: bool = False

    @cached_property
    def texts(self) -> dict[str, str]:
        """Text of each id."""
        return {each["id"]: each["text"] for each in self.documents}

    @cached_property
    def versions(self) -> set[Pair]:
        """Pairs that are versions of each other."""
        if self.name == "bbc_news":
            near = rows(self.name, "near_duplicates.tsv")
            return {
                pair(row["id1"], row["id2"])
                for row in near
                if max(float(row["containment"]), float(row["resemblance"])) >= 0.5
            }
        if self.name == "licence_versions":
            return {
                pair(row["id1"], row["id2"])
                for row in rows(self.name, "pairs.tsv")
                if row["kind"] == "version" and row["same_lang"] == "1"
            }
        return {pair(*ids) for chain in self.chains.values() for ids in combinations(chain, 2)}

    @cached_property
    def chains(self) -> dict[str, list[str]]:
        """Ids of the versions of each document."""
        chains = defaultdict(list)
        for each in self.documents:
            named = (each.get(name) for name in ("chain", "family", "duplicate_group"))
            chains[next(filter(None, named), each["id"])].append(each["id"])
        return dict(chains)

    @cached_property
    def neither(self) -> set[Pair]:
        """Pairs that count neither as right nor as wrong: texts of superseding chains."""
        if self.name == "licence_versions":
            # Variants of a licence are neither versions nor strangers.
            return {
                pair(*ids) for chain in self.chains.values() for ids in combinations(chain, 2)
            } - self.versions
        if self.name != "pep_versions":
            return set()
        chains = self.chains
        return {
            pair(one, other)
            for row in rows(self.name, "relations.tsv")
            if row["relation"] in ("replaces", "superseded_by")
            for one in chains[row["chain"]]
            for other in chains[row["other"]]
        } - self.versions

    @cached_property
    def containment(self) -> dict[Pair, float]:
        """Containment of the pairs that were measured by the line history."""
        if self.name in ("bbc_news", "bib_records"):
            return {}
        measured = rows(self.name, "pairs.tsv")
        one, other = ("id1", "id2") if self.name == "licence_versions" else ("older", "newer")
        known = {pair(row[one], row[other]): float(row["containment"]) for row in measured}
        return {key: known[key] for key in known.keys() & self.versions}


def version_set(name: str) -> VersionSet:
    """Read one of the collections with known versions."""
    return VersionSet(name, documents(name), characters=name == "law_versions_zh")


def documents(name: str) -> list[dict[str, str]]:
    """Read the documents of a set."""
    return lines(name, "docs.jsonl")


def lines(name: str, file: str) -> list[dict[str, str]]:
    """Read a file of JSON lines of a set."""
    content = data_file(name, file).read_text(encoding="utf-8")
    return [json.loads(line) for line in content.splitlines()]


def clough_pairs() -> list[dict[str, str]]:
    """Read the answers of clough_stevenson with their source, grade and level."""
    return rows("clough_stevenson", "pairs.tsv")


def rows(name: str, file: str) -> list[dict[str, str]]:
    """Read a table of a set."""
    with data_file(name, file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
