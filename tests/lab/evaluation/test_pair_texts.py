"""Texts of labelled pairs come from an index, of which an id may name no document alone."""

from types import SimpleNamespace
from typing import Any

from es_simhash.errors import DocumentAmbiguous
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs
from es_simhash.lab.evaluation.pair_texts import found_pairs, index_texts


class Alias:
    """Two indices that both have the document `twice`; no document has the id `none`."""

    name = "all"

    def ask(self, requests: Any) -> list[Any]:
        (request,) = requests
        if "twice" in request.ids:
            raise DocumentAmbiguous("Document 'twice' is in several indices.")
        return [
            [SimpleNamespace(id=id, found=id != "none", text=None if id == "none" else f"text {id}")
             for id in request.ids]
        ]  # fmt: skip


def test_a_pair_with_an_id_of_several_documents_is_left_out_and_named() -> None:
    rows = [("a", "b", True), ("a", "twice", True), ("b", "c", False), ("c", "none", False)]
    pairs = LabelledPairs.of(rows, "labels.tsv")
    store: Any = Alias()
    texts, reasons = index_texts(store, ["a", "b", "c", "none", "twice"])
    assert texts == {"a": "text a", "b": "text b", "c": "text c"}
    known = found_pairs(pairs, texts.__contains__, "index all", reasons)
    assert known.labels == {("a", "b"): True, ("b", "c"): False}
    assert known.problems == (
        "File 'labels.tsv', line 2: Document 'twice' is in several indices.",
        "File 'labels.tsv', line 4: document 'none' is not in index all. Check the id.",
    )
