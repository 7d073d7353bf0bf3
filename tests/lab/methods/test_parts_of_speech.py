"""Parts of speech by spaCy, with a pipeline of rules in place of a trained one."""

from typing import TYPE_CHECKING

import pytest

from es_simhash.errors import MissingExtra
from es_simhash.lab.methods.method_registry import method_named
from es_simhash.lab.methods.parts_of_speech import SpacyTagger
from es_simhash.lab.methods.weighted_simhash import tagged_simhash
from es_simhash.semantics.rarity import rarity
from tests.support import slow_methods

# Collected in every process of a run, of which one needs it.
if TYPE_CHECKING:
    from spacy.language import Language

TEXT = "The harbour and the ferries decide, and the old harbour is here with them."


def pipeline() -> "Language":
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for word, pos in (("harbour", "VERB"), ("ferries", "PROPN"), ("decide", "NOUN")):
        ruler.add([[{"LOWER": word}]], {"POS": pos})
    return nlp


def test_words_have_the_part_of_speech_of_the_pipeline() -> None:
    tagger = SpacyTagger(pipeline())
    (kinds,) = tagger.kinds_of([TEXT])
    assert (kinds["harbour"], kinds["ferry"], kinds["decide"]) == ("verb", "noun", "noun")
    assert kinds["old"] == "other"
    method = tagged_simhash(tagger)
    assert method.name == "weighted-simhash-spacy"
    counts = {"harbour": 2, "ferry": 1, "decide": 1, "old": 1}
    shares = {word: 10 ** float(rarity([word], "en")[0]) for word in counts}
    weights = slow_methods.zhang_he(
        counts, shares, kind={"harbour": 2, "ferry": 3, "decide": 3}, marker={}, title={}
    )
    assert tagger.kinds_of(["half \ud800 a harbour"])[0]["harbour"] == "verb"
    features = method.read([TEXT, "港口六点开门，渡船七点开，这是一个很长的句子。"])
    assert int(features.numbers[0]) == slow_methods.weighted(weights)
    assert not features.unreadable


def test_without_a_pipeline_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spacy.util.get_installed_models", lambda: ["de_core_news_sm"])
    with pytest.raises(MissingExtra, match="spacy download en_core_web_sm"):
        method_named("weighted-simhash-spacy")
