"""Document fingerprints alone, for what is measured and tested without all else of a text."""

from collections.abc import Sequence

from es_simhash.fingerprints.features import token_numbers, word_pairs
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.hashing import Fingerprints
from es_simhash.fingerprints.simhash import run_fingerprints
from es_simhash.text.normal_forms import normalise_all
from es_simhash.text.segmentation import segment


def document_fingerprints(texts: Sequence[str], scheme: Scheme = DEFAULT) -> Fingerprints:
    """Return only the document fingerprints: one row for each text that has a token."""
    segmentation = segment(normalise_all(texts), scheme)
    return run_fingerprints(word_pairs(token_numbers(segmentation), segmentation), scheme.bits)
