"""The calls for requests to an index."""

import pytest

from es_simhash.relation.references import DocumentRef
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.index_calls import IndexCalls
from es_simhash.store.elasticsearch.index_searches import IndexSearches
from es_simhash.store.intents import DocumentsAt, Parts

METHODS = (AddedScheme("token-simhash", "token-simhash-v1"), AddedScheme("minhash", "minhash-v1"))


@pytest.mark.parametrize("schemes", [(), METHODS])
def test_a_whole_document_is_read_without_its_large_members_each_by_its_name(
    schemes: tuple[AddedScheme, ...],
) -> None:
    searches = IndexSearches("i", IndexConfig(simhash_field="near.simhash", schemes=schemes))
    refs = (DocumentRef(None, "港口"),)
    calls = IndexCalls(searches, is_complete=True).calls([DocumentsAt(refs, Parts(whole=True))])
    call = next(calls)
    excluded = call.params["_source_excludes"].split(",")
    # A pattern costs the engine as much as the document, and more.
    assert [name for name in excluded if "*" in name] == []
    assert {"near.simhash.fingerprint", "near.simhash.shingles", "near.simhash.vector"} <= set(
        excluded
    )
    of_methods = {name for name in excluded if ".schemes." in name}
    assert of_methods == {
        f"near.simhash.schemes.{each.method}.{member}"
        for each in schemes
        for member in ("fingerprint", "blocks")
    }
