"""Archives of any size whose words, phrases, forms and revisions follow a real collection.

A story is assembled from runs of words: some are taken from the two stories that are its subject,
the others from any story of the collection. A form is a form of the collection with its digits
exchanged, and a revision is the story before it with a part replaced. Lengths and shares are fitted
to the collection.
"""

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from es_simhash.pairs.document_families import families_in_memory
from es_simhash.store.config import IndexConfig
from es_simhash.store.encoding import encode
from tests.support import datasets

_SETS = ("wire_news", "bbc_news", "ecbplus")
# Stories of an agency in the order of their time, with which what is made is compared.
_SAMPLE = 3_000
# A story is a form from this share of words with digits on.
_FORM = 0.2
_SUBJECTS = (0.2, 0.4, 0.6, 0.8)
_RUNS = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
_LEAST_WORDS = 20


@dataclass(frozen=True)
class Archive:
    """The collection from which stories are made up, and the parameters.

    Attributes:
        words: The words of all stories of a collection, one story after the other.
        starts: Where each of them starts in `words`, and the end of the last.
        forms: Whether each of them is a form.
        length: Mean and standard deviation of the logarithm of the number of words.
        revision_every: One story in so many is a revision of the one before it.
        replaced: Share of the words of a revision that are replaced.
        subject: Share of the runs of a story that come from its two subjects.
        run: Mean number of words of a run.
    """

    words: Sequence[str]
    starts: np.ndarray
    forms: np.ndarray
    length: tuple[float, float]
    revision_every: int
    replaced: float
    subject: float = _SUBJECTS[0]
    run: float = _RUNS[0]

    def texts(self, start: int, count: int) -> Iterator[str]:
        """Yield the texts of stories start to start + count, the same for the same numbers."""
        generator = np.random.default_rng(start)
        last: list[str] = []
        for row in range(count):
            is_revision = row > 0 and (start + row + 1) % self.revision_every == 0
            last = self._revised(last, generator) if is_revision else self._story(generator)
            yield " ".join(last)

    def __str__(self) -> str:
        return (
            f"stories of {len(self.forms):,}, of which {np.mean(self.forms):.0%} are forms; "
            f"logarithm of words {self.length[0]:.2f} ± {self.length[1]:.2f}, runs of "
            f"{self.run} words, {self.subject:.0%} of them of two subjects; one of "
            f"{self.revision_every} a revision with {self.replaced:.0%} of its words replaced"
        )

    def _story(self, generator: np.random.Generator) -> list[str]:
        subjects = generator.integers(0, len(self.forms), 2)
        if self.forms[subjects[0]]:
            return self._form(int(subjects[0]), generator)
        size = max(_LEAST_WORDS, int(generator.lognormal(*self.length)))
        return self._runs(size, subjects, generator)

    def _runs(self, size: int, subjects: np.ndarray, generator: np.random.Generator) -> list[str]:
        """Return runs of words, `subject` of them from the stories that are the subject."""
        count = max(1, round(size / self.run))
        any_story = generator.integers(0, len(self.forms), count)
        of_subject = generator.random(count) < self.subject
        stories = np.where(of_subject, generator.choice(subjects, count), any_story)
        first, end = self.starts[stories], self.starts[stories + 1]
        places = first + (generator.random(count) * (end - first)).astype(np.int64)
        ends = np.minimum(places + generator.geometric(1 / self.run, count), end)
        bounds = zip(places.tolist(), ends.tolist(), strict=True)
        return [word for place, stop in bounds for word in self.words[place:stop]]

    def _form(self, story: int, generator: np.random.Generator) -> list[str]:
        """Return the words of a form with its digits exchanged."""
        words = self.words[self.starts[story] : self.starts[story + 1]]
        digits = str.maketrans("0123456789", "".join(map(str, generator.permutation(10).tolist())))
        return [word.translate(digits) for word in words]

    def _revised(self, words: list[str], generator: np.random.Generator) -> list[str]:
        """Return words with one part replaced by runs from other stories."""
        size = max(1, int(len(words) * self.replaced))
        others = self._runs(size, generator.integers(0, len(self.forms), 2), generator)
        place = int(generator.integers(0, len(words)))
        return words[:place] + others + words[place + size :]


@cache
def news_archive() -> Archive:
    """Return an archive of stories like those of an agency and two papers, fitted to the agency's.

    Raises:
        MissingData: The evaluation data is not there.
    """
    stories = {name: [each["text"] for each in datasets.documents(name)] for name in _SETS}
    sample = stories[_SETS[0]][:_SAMPLE]
    wanted = _traits(sample)
    few = _unfitted(sample)
    tried = (replace(few, subject=one, run=other) for one, other in product(_SUBJECTS, _RUNS))
    fitted = min(tried, key=lambda each: _distance(_traits(each.texts(0, _SAMPLE)), wanted))
    everything = _unfitted([text for texts in stories.values() for text in texts], few)
    return replace(everything, subject=fitted.subject, run=fitted.run)


def archive_texts(start: int, count: int) -> Iterator[str]:
    """Yield the texts of stories start to start + count of `news_archive`."""
    return news_archive().texts(start, count)


def _unfitted(stories: Sequence[str], revised_as: Archive | None = None) -> Archive:
    """Return the archive of these stories; share and length of runs are those it starts from.

    Args:
        stories: The texts.
        revised_as: Where the shares of revisions are taken from; None measures them.
    """
    words = [story.split() for story in stories]
    forms = np.array([_digits(each) >= _FORM for each in words])
    lengths = np.log(
        [max(1, len(each)) for each, form in zip(words, forms, strict=True) if not form]
    )
    every, replaced = (
        (revised_as.revision_every, revised_as.replaced) if revised_as else _revisions(words)
    )
    return Archive(
        words=[word for each in words for word in each],
        starts=np.cumsum([0, *map(len, words)]),
        forms=forms,
        length=(float(lengths.mean()), float(lengths.std())),
        revision_every=every,
        replaced=replaced,
    )


def _digits(words: Sequence[str]) -> float:
    return sum(any(map(str.isdecimal, word)) for word in words) / max(1, len(words))


def _revisions(stories: Sequence[Sequence[str]]) -> tuple[int, float]:
    """Return how many stories there are for each revision, and which share of its words is new."""
    families = families_in_memory({str(at): " ".join(each) for at, each in enumerate(stories)})
    new = []
    for first, *others in families:
        for other in others:
            one, two = (Counter(stories[int(id)]) for id in (first, other))
            new.append(1 - (one & two).total() / max(1, two.total()))
    return round(len(stories) / max(1, len(new))), statistics.fmean(new or [0.0])


def _traits(texts: Iterable[str]) -> np.ndarray:
    """Return the mean ratio of distinct words to words, and the share of repeated shingles."""
    made = list(texts)
    words = [text.split() for text in made]
    distinct = np.mean([len(set(each)) / len(each) for each in words if each])
    objects = encode(made, IndexConfig(semantics=None)).objects
    shingles = Counter(one for each in objects for one in json.loads(each).get("shingles", ()))
    held = sum(count for count in shingles.values() if count > 1)
    return np.array([distinct, held / max(1, shingles.total())])


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(np.log(one / other)).sum())
