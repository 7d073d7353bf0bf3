"""The judgement of two texts: from the two alone, the same from either side."""

from collections.abc import Callable
from random import Random

import pytest

from es_simhash import compare
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.evidence import by_passages
from es_simhash.relation.relation import VERSION_KINDS, Relation
from es_simhash.relation.scoring import compare_fingerprints
from es_simhash.relation.thresholds import (
    SHARED_SCORE,
    SHOWN_SCORE,
    VERSION_SCORE,
)

Writer = Callable[[Random, int], str]
MIRRORED = {"contains": "excerpt_of", "excerpt_of": "contains"}
TOKENS = 400


def words(random: Random, count: int) -> str:
    """Made-up words of three to nine letters."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(random.choices(letters, k=random.randint(3, 9))) for _ in range(count))


def syllables(random: Random, count: int) -> str:
    """Hangul in groups of two or three, with spaces: narrow words, but words."""
    groups = (
        "".join(chr(random.randint(0xAC00, 0xD7A3)) for _ in range(random.choice([2, 3, 3])))
        for _ in range(count)
    )
    return " ".join(groups)


def characters(random: Random, count: int) -> str:
    """Han characters without spaces, each one a token."""
    return "".join(chr(random.randint(0x4E00, 0x9FA5)) for _ in range(count))


WRITERS = pytest.mark.parametrize("write", [words, syllables, characters])


def scored(one: str, other: str) -> Relation:
    """Compare two texts, and see that the other side says the same."""
    relation, mirror = compare(one, other, semantics=None), compare(other, one, semantics=None)
    assert mirror.kind == MIRRORED.get(relation.kind, relation.kind)
    assert mirror.score == relation.score
    assert mirror.coverage.of_hit == relation.coverage.of_query
    assert mirror.coverage.of_query == relation.coverage.of_hit
    assert (relation.kind in VERSION_KINDS) == (relation.score >= VERSION_SCORE)
    return relation


def revised(write: Writer, share: float, seed: int, *, head: bool) -> Relation:
    """Compare a text with one as long that has this share of it, with its head or without."""
    random = Random(seed)
    copied = round(share * TOKENS)
    passage = write(random, copied)
    ours, theirs = (write(random, TOKENS - copied) for _ in range(2))
    if head:
        return scored(f"{passage}\n\n{ours}", f"{passage}\n\n{theirs}")
    return scored(f"{ours}\n\n{passage}", f"{theirs}\n\n{passage}")


@WRITERS
@pytest.mark.parametrize("seed", range(3))
def test_half_of_a_text_makes_a_version_where_the_head_is_the_same(
    write: Writer, seed: int
) -> None:
    assert revised(write, 0.5, seed, head=True).kind in VERSION_KINDS
    less = revised(write, 0.5, seed, head=False)
    assert less.kind == "shares_passages"
    assert less.score >= SHOWN_SCORE
    assert revised(write, 0.92, seed, head=False).kind in VERSION_KINDS


@WRITERS
def test_a_letterhead_alone_makes_no_version(write: Writer) -> None:
    assert revised(write, 0.1, 4, head=True).kind not in VERSION_KINDS


@WRITERS
def test_the_score_rises_with_what_is_copied(write: Writer) -> None:
    scores = [revised(write, share / 10, 5, head=False).score for share in range(11)]
    assert scores == sorted(scores)
    assert (scores[0], scores[-1]) == (0.0, 1.0)


@WRITERS
@pytest.mark.parametrize("parts", [3, 6])
def test_a_text_that_stands_in_another_is_an_excerpt_of_it(write: Writer, parts: int) -> None:
    random = Random(parts)
    pages = [write(random, 200) for _ in range(parts)]
    relation = scored(pages[1], "\n\n".join(pages))
    assert relation.kind == "excerpt_of"
    assert relation.coverage.of_query > 0.9


FORM = """
Regulation on vocational training for {0}. Section one. The occupation of {0} is recognised by the
state. Training takes {1} months. Section two. Training for the occupation of {0} conveys at least
these skills and this knowledge: {2}. Section three. The skills and this knowledge are conveyed as
the framework curriculum says, and a deviation is allowed as far as the specifics of the business
require it. Section four. The trainee keeps a record book of the training, and is given the
opportunity to do so during the hours of training. The trainer looks through it regularly. Section
five. An intermediate examination is held to establish the state of the training, before the end of
the second year. Section six. The final examination covers {2}, and what was taught at school as far
as it is essential for the training. Section seven. This regulation comes into force on the first of
August {3}.
"""
SADDLER = FORM.format(
    "saddlers",
    36,
    "cutting leather, stitching harness, padding collars, fitting buckles, dyeing hides, measuring "
    "horses, mending bridles, waxing threads, lining saddles, choosing tools and keeping accounts",
    1991,
)


def test_two_forms_filled_in_differently_are_no_versions() -> None:
    baker = FORM.format(
        "confectioners",
        30,
        "kneading doughs, glazing tarts, tempering chocolate, storing flour, baking biscuits, "
        "spinning sugar, filling pralines, cooling creams, rolling marzipan and decorating cakes",
        87,
    )
    assert scored(SADDLER, baker).kind == "shares_passages"


def test_a_form_that_was_revised_is_a_version() -> None:
    revised_form = SADDLER.replace("The trainer looks through it regularly.", "").replace(
        "before the end of\nthe second year", "in the middle of the second year, in writing"
    )
    assert scored(SADDLER, revised_form).kind == "version"


@pytest.mark.parametrize(
    ("one", "other", "is_version"),
    [
        # Names of journals and editorials come back every year.
        (
            "Editorial. Journal of Stroke 2014 23(4)",
            "Editorial. Journal of Stroke 2017 26(2)",
            False,
        ),
        (
            "Editorial. Journal of Stroke 2014 23(4)",
            "Editorial, Journal of Stroke. 2014;23(4)",
            True,
        ),
        ("年度报告 北京市卫生局 2014 年 第 3 号", "年度报告 北京市卫生局 2017 年 第 8 号", False),
        (
            "Jahresbericht der Stadtwerke Göttingen 2014",
            "Jahresbericht der Stadtwerke Göttingen 2017",
            False,
        ),
        ("वार्षिक रिपोर्ट नगर निगम भोपाल २०१४", "वार्षिक रिपोर्ट नगर निगम भोपाल २०१७", False),
        ("التقرير السنوي لبلدية القاهرة ٢٠١٤", "التقرير السنوي لبلدية القاهرة ٢٠١٧", False),
    ],
)
def test_numbers_tell_short_records_apart(one: str, other: str, is_version: bool) -> None:
    assert (scored(one, other).kind in VERSION_KINDS) == is_version


@pytest.mark.long
def test_a_third_of_a_short_text_in_a_long_one_hardly_ever_makes_a_version() -> None:
    random = Random(3)
    kinds = []
    for _ in range(8):
        long, short = words(random, 900).split(), words(random, 16).split()
        for start in range(100, 800, 50):
            phrase = long[start : start + 8]
            text = " ".join([*short[:8], *phrase, *short[8:]])
            kinds.append(scored(text, " ".join(long)).kind)
    # Few shingles of so short a text can be compared; taken at their word, a third were versions.
    assert sum(kind in VERSION_KINDS for kind in kinds) <= len(kinds) / 20


ARRIVALS = " ".join(f"Sentence {n} tells of the {n}th ship that came to Bergen." for n in range(40))
GARDENS = " ".join(f"Paragraph {n} is on bees, honey and {n} gardens of Lyon." for n in range(40))
WATCH = "The night watchman saw nobody, heard nothing and wrote both down in the book of the port."


def test_texts_without_a_passage_keep_a_score_by_what_they_share() -> None:
    texts = (f"{ARRIVALS} {WATCH}", f"{GARDENS} {WATCH}", GARDENS)
    query, alike, apart = TextAnalyser().analyse(texts)
    little, nothing = (
        by_passages(compare_fingerprints(query, hit), query, hit, []) for hit in (alike, apart)
    )
    assert (little.kind, little.reuse) == ("none", None)
    assert nothing.score < little.score < SHARED_SCORE
    assert little.coverage.of_query > 0


def test_a_faint_likeness_in_meaning_does_not_hide_a_shared_passage() -> None:
    sentence = "Ship number {} left Hamburg late, and nobody knew why it sailed."
    departures = " ".join(sentence.format(n) for n in range(40))
    one, other = f"{ARRIVALS} {WATCH}", f"{departures} {WATCH}"
    plain, near = compare(one, other, semantics=None), compare(one, other)
    assert plain.kind == "shares_passages"
    assert (near.kind, near.score, near.evidence) == (plain.kind, plain.score, plain.evidence)


def test_a_short_message_with_another_head_and_number_is_a_version() -> None:
    # One outlet names the place, counts ten passengers more, and cuts the last sentence.
    message = (
        "The ferry between the mainland and the northern islands was cancelled on Tuesday morning "
        "after the captain reported a broken rudder, the harbour authority said. Nobody was hurt, "
        "and the passengers were taken ashore by fishing boats, {} people in all, at 7 o'clock."
    )
    head = "Bergen, Norway (own report). Hundreds of passengers are stranded on the islands today. "
    sent = message.format(140) + " The owner of the ferry was not there."
    assert scored(sent, head + message.format(150)).kind == "version"


def test_a_record_that_shares_words_and_no_number_is_another() -> None:
    record = "Annual report of the harbour authority of Bergen, volume {}, number {}, {} pages."
    assert scored(record.format(12, 3, 208), record.format(17, 9, 164)).kind == "shares_passages"
