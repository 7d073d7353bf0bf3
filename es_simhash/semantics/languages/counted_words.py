"""The words of a batch of texts, counted by their numbers in a lexicon."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.languages.letter_runs import LetterRuns, Stretches
from es_simhash.semantics.languages.lexicon import (
    NOTHING,
    Lexicon,
    NumberedWords,
    equal_keys,
    lexicon_of,
    stable_order,
)
from es_simhash.semantics.languages.number_table import ABSENT, NumberTable
from es_simhash.semantics.languages.words import (
    ELIDING,
    STEMMED,
    SUFFIXING,
    content_form,
    count_forms,
    count_words,
    fold_forms,
    normal_form,
)
from es_simhash.text.marks import composed
from es_simhash.text.tokens import Ints

_NONE = np.zeros(0, np.int64)


class TextWords(NamedTuple):
    """The content words of a text with their counts: as they are inflected, and in normal form."""

    forms: Mapping[str, int]
    normals: Mapping[str, int]


class GroupedWords(NamedTuple):
    """Words of several texts.

    Attributes:
        texts: Number of the text of each word.
        numbers: Number of the word in a lexicon.
        counts: How often the text has it.
    """

    texts: Ints
    numbers: Ints
    counts: Ints


def count_texts(
    texts: Sequence[str], languages: Sequence[str | None], runs: LetterRuns | None
) -> list[TextWords]:
    """Return the content words of each text of a batch, as `count_forms` and `fold_forms` do.

    Args:
        texts: The texts.
        languages: Language of each, an ISO 639-1 code; None for a text whose words are not counted.
        runs: Their runs of letters; None to read each text by itself.
    """
    counted = [TextWords({}, {})] * len(texts)
    if runs is None:
        for number, (text, language) in enumerate(zip(texts, languages, strict=True)):
            if language is not None:
                counted[number] = _counted_singly(text, language)
        return counted
    words = runs.words(eliding=np.array([language in ELIDING for language in languages], bool))
    is_spaced = runs.is_spaced
    for language in {language for language in languages if language is not None}:
        of_language = np.array([each == language for each in languages])
        together = of_language & is_spaced & (language not in SUFFIXING)
        lexicon = lexicon_of(language)
        chosen = np.flatnonzero(together)
        forms, normals = _counted(runs, words, together, lexicon)
        of_texts = (_split(forms, chosen, lexicon), _split(normals, chosen, lexicon))
        for number, *of_text in zip(chosen.tolist(), *of_texts, strict=True):
            counted[number] = TextWords(*of_text)
        for number in np.flatnonzero(of_language & ~together).tolist():
            counted[number] = _counted_singly(texts[number], language)
    return counted


def _counted_singly(text: str, language: str) -> TextWords:
    forms = count_forms(text, language)
    return TextWords(forms, fold_forms(forms, language))


def content_words(texts: Sequence[str], lexicon: Lexicon) -> GroupedWords:
    """Return the content words of texts of one language in normal form, as `count_words` does.

    Args:
        texts: The texts.
        lexicon: The lexicon of their language.
    """
    language = lexicon.language
    runs = LetterRuns.of_batch(texts)
    if runs is None:
        return numbered_texts([count_words(text, language) for text in texts], lexicon)
    together = runs.is_spaced & (language not in SUFFIXING)
    words = runs.words(eliding=np.full(len(texts), language in ELIDING))
    _, normals = _counted(runs, words, together, lexicon)
    singly = np.flatnonzero(~together)
    if not len(singly):
        return normals
    counts = [count_words(texts[number], language) for number in singly.tolist()]
    others = numbered_texts(counts, lexicon)
    both = zip(normals, others._replace(texts=singly[others.texts]), strict=True)
    words_of_both = GroupedWords(*map(np.concatenate, both))
    order = stable_order(words_of_both.texts)
    return GroupedWords(*(values[order] for values in words_of_both))


def numbered_texts(texts: Sequence[Mapping[str, int]], lexicon: Lexicon) -> GroupedWords:
    """Return the words of texts that are counted already.

    Args:
        texts: The words of each text.
        lexicon: The lexicon of their language.
    """
    numbers, counts = [_NONE], [_NONE]
    for words in texts:
        if isinstance(words, NumberedWords) and words.lexicon is lexicon:
            numbers.append(words.numbers)
            counts.append(words.amounts)
        else:
            numbers.append(lexicon.numbers(words))
            counts.append(np.fromiter(words.values(), np.int64, len(words)))
    of_texts = np.repeat(np.arange(len(texts)), [len(some) for some in counts[1:]])
    return GroupedWords(of_texts, np.concatenate(numbers), np.concatenate(counts))


def _counted(
    runs: LetterRuns, words: Stretches, chosen: NDArray[np.bool_], lexicon: Lexicon
) -> tuple[GroupedWords, GroupedWords]:
    """Return the content words of some texts of a batch: as inflected, and in normal form.

    Args:
        runs: The runs of letters of the batch.
        words: The words in them.
        chosen: Whether a text is one of them.
        lexicon: The lexicon of their language.
    """
    sizes = np.diff(words.bounds)
    is_chosen = np.repeat(chosen, sizes)
    numbers = _content_forms(runs, words.starts[is_chosen], words.ends[is_chosen], lexicon)
    is_content = numbers != NOTHING
    texts = np.repeat(np.arange(len(chosen)), np.where(chosen, sizes, 0))
    forms = _grouped(texts[is_content], numbers[is_content].astype(np.int64))
    if lexicon.language not in STEMMED:
        return forms, forms
    normals = lexicon.column(normal_form, lambda words: _normal_numbers(words, lexicon))
    return forms, _grouped(forms.texts, normals.take(forms.numbers), forms.counts)


def _content_forms(
    runs: LetterRuns, starts: Ints, ends: Ints, lexicon: Lexicon
) -> NDArray[np.int32]:
    """Return the number of the form of each word of some texts; NOTHING for stop words.

    Args:
        runs: The runs of letters of the texts.
        starts: First character of each word.
        ends: One past its last one.
        lexicon: The lexicon of their language.
    """
    hashes = runs.numbers.of(starts, ends)
    with lexicon.lock:
        # From the words as they are written.
        table = lexicon.once(NumberTable)
        forms = table.find(hashes)
        unknown = np.flatnonzero(forms == ABSENT)
        if len(unknown):
            new, first = np.unique(hashes[unknown], return_index=True)
            places = unknown[first]
            spellings = map(runs.spelling, starts[places].tolist(), ends[places].tolist())
            of_new = lexicon.numbers(
                content_form(composed(spelling), lexicon.language) for spelling in spellings
            ).astype(np.int32)
            table.add(new, of_new)
            forms[unknown] = of_new[np.searchsorted(new, hashes[unknown])]
    return forms


def _normal_numbers(words: Sequence[str], lexicon: Lexicon) -> Ints:
    return lexicon.numbers(normal_form(word, lexicon.language) for word in words)


def _grouped(texts: Ints, numbers: Ints, counts: Ints | None = None) -> GroupedWords:
    """Return each word of a text once, with its counts added up, in the order of first places.

    Args:
        texts: Number of the text of each word, ascending.
        numbers: Number of the word.
        counts: How often it counts; None for once.
    """
    if not len(numbers):
        return GroupedWords(texts, numbers, numbers)
    order, firsts = equal_keys(texts * (int(numbers.max()) + 1) + numbers)
    if counts is None:
        sums = np.diff(firsts, append=len(order))
    else:
        sums = np.add.reduceat(counts[order], firsts)
    places = order[firsts]
    by_place = stable_order(places)
    places = places[by_place]
    return GroupedWords(texts[places], numbers[places], sums[by_place])


def _split(words: GroupedWords, texts: Ints, lexicon: Lexicon) -> Iterator[NumberedWords[int]]:
    """Yield the words of each of some texts."""
    starts, ends = (np.searchsorted(words.texts, texts, side) for side in ("left", "right"))
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        yield NumberedWords(lexicon, words.numbers[start:end], words.counts[start:end])
