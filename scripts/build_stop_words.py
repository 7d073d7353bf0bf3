"""Write es_simhash/semantics/data/stop_words.txt from the stop lists of spaCy (MIT).

    pip download --no-deps --only-binary :all: spacy==3.8.18
    python scripts/build_stop_words.py spacy-3.8.18-*.whl

One line a language: its code and its words, in order. The lists are taken as they are, except:
phrases are left out, words with an apostrophe in languages that elide are given as their parts,
and English gets its contractions, which spaCy's tokeniser would have split.
"""

import ast
import re
import sys
import unicodedata
import zipfile
from itertools import product
from pathlib import Path

TARGET = Path(__file__).parents[1] / "es_simhash" / "semantics" / "data" / "stop_words.txt"
# Ancient languages, and lists of languages so near to a larger one that they mostly take its
# texts away when the language of a text is guessed.
LEFT_OUT = {"dsb", "grc", "hsb", "kmr", "la", "lg", "lij", "ms", "sa", "tn"}
ELIDING = {"ca", "fr", "it", "lb"}
NEGATED = [
    "are",
    "ca",
    "could",
    "did",
    "do",
    "does",
    "had",
    "has",
    "have",
    "is",
    "might",
    "must",
    "need",
    "should",
    "was",
    "were",
    "wo",
    "would",
]
PRONOUNS = ["he", "i", "it", "she", "that", "there", "they", "we", "what", "who", "you"]


def main() -> None:
    """Read the wheel named on the command line, write the data file."""
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        lists = {
            name.split("/")[2]: read_list(wheel.read(name).decode())
            for name in wheel.namelist()
            if re.fullmatch(r"spacy/lang/\w+/stop_words\.py", name)
        }
    lines = [
        " ".join([language, *sorted(cleaned(language, words))])
        for language, words in sorted(lists.items())
        if language not in LEFT_OUT
    ]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_list(source: str) -> set[str]:
    """Return the value of STOP_WORDS without importing spaCy."""
    names: dict[str, object] = {}
    exec(compile(ast.parse(source), "stop_words.py", "exec"), names)
    words = names["STOP_WORDS"]
    assert isinstance(words, set)
    return words


def cleaned(language: str, words: set[str]) -> set[str]:
    """Return the words as they are looked up: lower case, composed, plain apostrophes."""
    plain = {
        unicodedata.normalize("NFC", word).lower().replace("’", "'").replace("‘", "'")
        for word in words
    }
    if language in ELIDING:
        plain = {part for word in plain for part in word.split("'")}
    if language == "en":
        plain |= {f"{word}n't" for word in NEGATED}
        plain |= {"".join(pair) for pair in product(PRONOUNS, ["'d", "'ll", "'m", "'re", "'ve"])}
    return {word for word in plain if word[:1].isalpha() and not re.search(r"[\s\d_]", word)}


if __name__ == "__main__":
    main()
