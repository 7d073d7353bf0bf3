"""Tokens of a batch, and those of one of its texts."""

from typing import Any

import numpy as np

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.text.segmentation import segment
from es_simhash.text.tokens import Segmentation


def members(segmentation: Segmentation) -> dict[str, Any]:
    return {name: np.asarray(value).tolist() for name, value in vars(segmentation).items()}


def test_a_text_of_a_batch_is_as_if_it_had_been_segmented_by_itself() -> None:
    texts = ["The harbour opens.", "", "It closes at six. It opens again at noon."]
    batch = segment(texts, DEFAULT)
    for number, text in enumerate(texts):
        of_batch, alone = members(batch.of_text(number)), members(segment([text], DEFAULT))
        for name in ("starts", "ends", "chunks", "texts"):
            assert of_batch[name] == alone[name], (text, name)
