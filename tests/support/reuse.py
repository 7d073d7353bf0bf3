"""Sixty documents of which two took three sentences over from a third."""

import random
from collections import Counter

from tests.support.made_up_texts import FUNCTION_WORDS, make_prose
from tests.support.subjects import reworded, texts_of

ENGLISH = texts_of("en")
# Of the source: eighteen sentences, these three among them.
COPIED = ENGLISH.bees[:3]
REWORDED = reworded(COPIED)
FORM = [
    "Please keep a copy of the signed declaration for your own records.",
    "Questions about eligibility are answered by the regional office on weekdays.",
    "Incomplete applications cannot be considered under any circumstances whatsoever.",
    "The fee is payable in advance and will not be refunded if the request is withdrawn.",
    "Applicants under eighteen need the written consent of a parent or guardian.",
    "Personal data are stored for ten years and then destroyed without further notice.",
    "Objections must reach the tribunal within one month after delivery of this letter.",
    "Envelopes without sufficient postage are returned to their sender unopened.",
]
# Documents that share the form, the source not among them.
FORMS = tuple(f"form-{number}" for number in range(12))


def documents() -> dict[str, str]:
    """Return the texts by id.

    `copier` and `rewriter` have a hundred sentences and more. Three are those of `source`, in other
    words in the second, and eight the form of twelve other documents. `near-…` have the words that
    are most frequent in either, and share no passage.
    """
    join, texts = ENGLISH.join, {}
    texts["source"] = ENGLISH.host(COPIED, [*ENGLISH.school, *ENGLISH.bees[3:]], 6)
    for seed, (name, passage) in enumerate({"copier": COPIED, "rewriter": REWORDED}.items()):
        own = make_prose(seed, 100)
        texts[name] = join(own[:50], passage, own[50:], FORM)
        texts[f"near-{name}"] = join(make_neighbour(own, 30 + seed))
    for number, name in enumerate(FORMS):
        texts[name] = join(make_prose(10 + number, 9), FORM)
    for number in range(60 - len(texts)):
        texts[f"other-{number}"] = join(make_prose(100 + number, 20 + number))
    return texts


def make_neighbour(sentences: list[str], seed: int) -> list[str]:
    """Return sentences with the most frequent words of others, each once."""
    words = " ".join(sentences).replace(".", "").split(" ")
    counts = Counter(word for word in words if word not in FUNCTION_WORDS)
    frequent = [word for word, _ in counts.most_common(40)]
    random.Random(seed).shuffle(frequent)
    return [f"{' '.join(frequent[start : start + 10])}." for start in range(0, len(frequent), 10)]
