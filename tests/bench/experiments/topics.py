"""Five topics of up to 500 texts among about 10,000 others: what simhash finds of them.

The origins report a precision of 95.3 % and a recall of 94.0 % for the weighted simhash, and do not
say which texts were taken for right. Two readings are measured: all pairs of texts of one topic,
and all pairs of copies of one report a topic that were edited.
"""

import time
from dataclasses import dataclass

import numpy as np

from es_simhash.fingerprints.simhash import ones_of
from es_simhash.lab.evaluation.curve_pictures import Picture
from es_simhash.lab.evaluation.evaluation_tables import Table
from es_simhash.lab.evaluation.pair_measures import Floats
from es_simhash.lab.methods.document_fingerprints import DocumentFingerprints
from es_simhash.lab.methods.method_protocol import Ints
from es_simhash.lab.methods.method_registry import method_named
from tests.bench.experiments.line_chart import Series, line_chart
from tests.bench.experiments.model import Result, Size
from tests.bench.experiments.plot_parts import UNIT, Axis
from tests.bench.experiments.topic_texts import Collection, chinese, edited, english

REPORTED = {"precision": 0.953, "recall": 0.940}
# Both compute one fingerprint for each text; the second is simhash without weights of words.
METHODS = ("weighted-simhash", "weighted-simhash-corpus", "simhash-4grams")
EDITED = (0.05, 0.1, 0.2, 0.4)
AS_THEY_ARE = "topics as they are"
# What is written in the tables for each reading, whose whole names are those of the plots.
SHARES = {
    AS_THEY_ARE: "–",
    **{f"copies, up to {share:.0%} edited": f"{share:.0%}" for share in EDITED},
}
K, _BITS, _SHOWN_BITS = 3, 64, 36
_ABOUT = (
    "Texts are cut to 2,000 characters. Copies edited: up to this share of one text per topic; "
    "–: the texts of the topic. Other k: best on the other language. Nearest: share of texts whose "
    "nearest is of their topic. Reported by the origins: precision 0.953, recall 0.940."
)
_WARM_UP = ("The committee met on Monday to discuss the harbour.", "委员会星期一开会讨论新的港口。")


@dataclass(frozen=True)
class Found:
    """What is found of topics within each number of bits.

    Attributes:
        precision: By the number of bits, from 0 to 64; nan where nothing is found.
        recall: By the number of bits.
        nearest: Share of the texts of topics whose nearest text is of the same topic.
        seconds: Of processor time to read a thousand texts.
    """

    precision: Floats
    recall: Floats
    nearest: float
    seconds: float

    @property
    def f1(self) -> Floats:
        """F1 by the number of bits."""
        precision = np.nan_to_num(self.precision)
        total = precision + self.recall
        return np.asarray(2 * precision * self.recall / np.where(total, total, 1))


def found(collection: Collection, method: str) -> Found:
    """Compare each text of a topic with all others by Hamming distance."""
    reader = method_named(method)
    reader.read(_WARM_UP)
    texts, labels = collection.texts, np.array(collection.labels)
    started = time.process_time()
    features = reader.read(texts)
    seconds = (time.process_time() - started) / len(texts) * 1000
    assert isinstance(features, DocumentFingerprints)
    return measured(features, labels, seconds)


def measured(features: DocumentFingerprints, labels: Ints, seconds: float) -> Found:
    """Return what is found; of texts that cannot be read, nothing is."""
    of_topics = int((labels >= 0).sum())
    right, wrong = np.zeros(_BITS + 1), np.zeros(_BITS + 1)
    unreadable = np.zeros(len(labels), bool)
    unreadable[list(features.unreadable)] = True
    nearest = 0.0
    for text in range(of_topics):
        distances = ones_of(features.numbers ^ features.numbers[text])
        usable = ~unreadable & ~unreadable[text]
        usable[text] = False
        same = labels == labels[text]
        # Pairs of two texts of topics are counted from both sides, the others from one.
        weights = np.where(labels >= 0, 0.5, 1.0)
        right += np.bincount(distances[usable & same], weights[usable & same], _BITS + 1)
        wrong += np.bincount(distances[usable & ~same], weights[usable & ~same], _BITS + 1)
        if usable.any():
            closest = usable & (distances == distances[usable].min())
            nearest += same[closest].mean()
    sizes = np.bincount(labels[labels >= 0])
    right, wrong = np.cumsum(right), np.cumsum(wrong)
    with np.errstate(invalid="ignore"):
        precision = np.where(right + wrong, right / (right + wrong), np.nan)
    recall = right / float((sizes * (sizes - 1) / 2).sum())
    return Found(precision, recall, nearest / of_topics, seconds)


def measure_all(collection: Collection, copies: int) -> dict[tuple[str, str], Found]:
    """Measure all methods on the topics, and on edited copies of one report a topic."""
    readings = {AS_THEY_ARE: collection}
    for reading, share in zip(tuple(SHARES)[1:], EDITED, strict=True):
        readings[reading] = edited(collection, share, copies)
    return {
        (reading, method): found(texts, method)
        for reading, texts in readings.items()
        for method in METHODS
    }


def tables(languages: dict[str, dict[tuple[str, str], Found]]) -> tuple[Table, ...]:
    """Return precision and recall at k and at the cut of the other language, by language."""
    columns = (
        "copies edited", "method", "precision, k = 3", "recall, k = 3", "other k",
        "its precision", "its recall", "nearest", "texts read/s",
    )  # fmt: skip
    made = []
    for language, figures in languages.items():
        rows = []
        other = next(each for name, each in languages.items() if name != language)
        for (reading, method), figure in figures.items():
            cut = int(other[reading, method].f1.argmax())
            cells = [_cell(values[at]) for at in (K, cut)
                     for values in (figure.precision, figure.recall)]  # fmt: skip
            rows.append(
                (SHARES[reading], method, *cells[:2], str(cut), *cells[2:],
                 f"{figure.nearest:.3f}", f"{1000 / max(figure.seconds, 1e-9):,.0f}")
            )  # fmt: skip
        made.append(Table(f"Pairs of texts of one topic, {language}", columns, tuple(rows)))
    return tuple(made)


def _cell(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}"


def plot(language: str, figures: dict[tuple[str, str], Found]) -> Picture:
    """Return F1 of the weighted simhash by the number of bits."""
    bits = range(_SHOWN_BITS + 1)
    series = [
        Series(reading, list(zip(bits, figure.f1.tolist()[: len(bits)], strict=True)))
        for (reading, method), figure in figures.items()
        if method == METHODS[0]
    ]
    precision, recall = REPORTED["precision"], REPORTED["recall"]
    reported = 2 * precision * recall / (precision + recall)
    return line_chart(
        f"Weighted simhash, five topics among noise ({language})",
        Axis("k, bits in which texts may differ", 0, _SHOWN_BITS, tuple(range(0, 37, 4))),
        Axis("F1 of pairs", 0, 1, UNIT),
        [
            *series,
            Series("reported", [(0, reported), (_SHOWN_BITS, reported)], is_reference=True),
            Series(f"k = {K}", [(K, 0), (K, 1)], is_reference=True),
        ],
    )


def run(size: Size) -> Result:
    """Measure both languages.

    Raises:
        InputError: There is no evaluation data.
    """
    languages, plots, notes = {}, {}, []
    for collection in (english(size.topic), chinese(size.topic)):
        figures = measure_all(collection, size.topic)
        languages[collection.name] = figures
        plots[collection.name.lower()] = plot(collection.name, figures)
        sizes = ", ".join(str(len(topic)) for topic in collection.topics)
        notes.append(
            f"{collection.name}: topics of {sizes} texts, or of {size.topic} copies, "
            f"among {len(collection.noise):,} other texts."
        )
    notes.append(_ABOUT)
    return Result(tables(languages), plots, tuple(notes))
