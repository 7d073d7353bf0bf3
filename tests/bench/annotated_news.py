"""News of an agency, ranked by the annotations that two stories share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support import datasets

# Annotations, and how much sharing all of one kind counts.
_WEIGHTS = {"companies": 3.0, "people": 3.0, "orgs": 2.0, "topics": 1.0, "places": 0.5}
# Stories that share so much of their runs of five words are one story.
_COPIES = 0.5
_SIZE = 10
Gains = NDArray[np.float32]


class AnnotatedNews:
    """Stories with their companies, people, organisations, topics and places.

    Attributes:
        documents: The stories: `id` and `text`, which begins with the headline.
    """

    def __init__(self) -> None:
        stories: Sequence[Mapping[str, Any]] = datasets.documents("wire_news")
        self.documents = [
            {"id": str(story["id"]), "text": f"{story['title']}\n\n{story['text']}"}
            for story in stories
        ]
        self._places = {each["id"]: place for place, each in enumerate(self.documents)}
        self._stories = stories
        self._copies = {
            datasets.pair(row["id1"], row["id2"])
            for row in datasets.rows("wire_news", "near_duplicates.tsv")
            if float(row["resemblance"]) >= _COPIES
        }

    def measured(self, found: Mapping[str, Sequence[str]]) -> tuple[float, float]:
        """Return nDCG@10 of ranked stories, and the share of them without a common annotation.

        Gains are the weighted Jaccard of the annotations. A copy of the query, or of a story
        before it, gains nothing. Queries without any story that gains are left out.
        """
        queries = sorted(found)
        discounts = 1 / np.log2(np.arange(2, _SIZE + 2))
        values, unlike = [], []
        for query, gains in zip(queries, self._gains(queries), strict=True):
            copies = [self._places[id] for id in self._places if self._are_copies(query, id)]
            possible = gains.copy()
            possible[[self._places[query], *copies]] = 0
            ideal = np.sort(possible)[::-1][:_SIZE]
            if ideal[0] <= 0:
                continue
            ranked = list(found[query])[:_SIZE]
            shared = [float(gains[self._places[id]]) for id in ranked]
            counted = np.array(
                [
                    0.0 if self._is_known(id, [query, *ranked[:rank]]) else shared[rank]
                    for rank, id in enumerate(ranked)
                ]
            )
            values.append(float(counted @ discounts[: len(counted)] / (ideal @ discounts)))
            unlike += [gain <= 0 for gain in shared]
        return float(np.mean(values)), float(np.mean(unlike))

    def _are_copies(self, one: str, other: str) -> bool:
        return datasets.pair(one, other) in self._copies

    def _is_known(self, id: str, before: Sequence[str]) -> bool:
        return any(self._are_copies(id, other) for other in before)

    def _gains(self, queries: Sequence[str]) -> Iterator[Gains]:
        rows = [self._places[id] for id in queries]
        total = np.zeros((len(rows), len(self.documents)), np.float32)
        for name, weight in _WEIGHTS.items():
            values = [set(story[name]) for story in self._stories]
            columns = {value: number for number, value in enumerate(sorted(set().union(*values)))}
            has = np.zeros((len(values), max(1, len(columns))), np.float32)
            for row, some in enumerate(values):
                has[row, [columns[value] for value in some]] = 1
            common = has[rows] @ has.T
            either = has.sum(1)[rows][:, None] + has.sum(1)[None] - common
            total += weight * common / np.maximum(either, 1)
        yield from total
