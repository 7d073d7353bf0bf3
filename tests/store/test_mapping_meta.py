"""What mappings say of an index, without an engine."""

from typing import Any

import pytest

from es_simhash.errors import MappingConflict, SchemeError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.relation.references import LeftOutIndex
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store import resources
from es_simhash.store.config import IndexConfig
from es_simhash.store.mapping_meta import (
    SIDECAR_META,
    meta_entry,
    require_no_sidecar,
    require_one_scheme,
    schemes_of,
    source_of,
    with_entries,
)

INSTALLED = resources.mapping(DEFAULT, "simhash", DEFAULT_SEMANTICS)
SIDECAR = {"_meta": {SIDECAR_META: {"simhash": "texts"}}}


def test_the_schemes_of_an_index_are_those_of_its_mapping() -> None:
    schemes = schemes_of("i", {"i": INSTALLED})
    assert (schemes.scheme, schemes.semantics) == (DEFAULT, DEFAULT_SEMANTICS)
    assert schemes.applied(IndexConfig(semantics=None)).semantics == DEFAULT_SEMANTICS


def test_an_index_without_fields_or_under_another_name_is_an_error() -> None:
    with pytest.raises(MappingConflict, match="es-simhash install bare"):
        schemes_of("bare", {"bare": {}})
    # All that is behind a name is installed by that name.
    with pytest.raises(MappingConflict, match="es-simhash install all"):
        schemes_of("all", {"one": {}, "two": {}})
    with pytest.raises(MappingConflict, match="but under 'simhash'"):
        schemes_of("i", {"i": INSTALLED}, "other")


def test_indices_without_fields_or_of_another_scheme_are_left_out() -> None:
    other = Scheme(blocks=16)
    newest = resources.mapping(other, "simhash", DEFAULT_SEMANTICS)
    schemes = schemes_of("all", {"i-1": INSTALLED, "bare": {}})
    assert (schemes.scheme, schemes.left_out) == (DEFAULT, (LeftOutIndex("bare"),))
    assert schemes.applied(IndexConfig()).left_out == schemes.left_out
    require_one_scheme("all", schemes.left_out)
    # The name that sorts last is the newest.
    schemes = schemes_of("all", {"i-2": newest, "i-1": INSTALLED})
    assert schemes.scheme == other
    assert schemes.left_out == (LeftOutIndex("i-1", DEFAULT.name),)
    with pytest.raises(MappingConflict, match="'i-1' behind 'all' has fingerprints of another"):
        require_one_scheme("all", schemes.left_out)


@pytest.mark.parametrize(
    ("semantics", "reason"),
    [
        (
            {**DEFAULT_SEMANTICS.to_meta(), "name": "semantic-of-old.v0"},
            "The mapping names the scheme 'semantic-of-old.v0', and this version makes "
            f"'{DEFAULT_SEMANTICS.name}' of its parameters; run `es-simhash upgrade` on the index.",
        ),
        *(
            (
                semantics,
                f"The mapping describes the scheme {name!r} in a way this version does not know; "
                "use the version of es-simhash that installed it.",
            )
            for semantics, name in [
                ({"name": "semantic-new.v9"}, "semantic-new.v9"),
                ({**DEFAULT_SEMANTICS.to_meta(), "name": "n", "vectors": "new"}, "n"),
                ({"extractor": "builtin"}, None),
                ("damaged", "damaged"),
            ]
        ),
    ],
)
def test_a_semantic_scheme_that_is_not_read_is_one_of_an_index_and_a_field(
    semantics: Any, reason: str
) -> None:
    entry = {"scheme": DEFAULT.name, "semantics": semantics}
    mapping = {"_meta": {resources.META: {"prints": entry}}}
    with pytest.raises(SchemeError) as caught:
        schemes_of("all", {"i-1": mapping}, "prints")
    said = "Index 'i-1' has semantic fields under 'prints' that this version does not read."
    assert str(caught.value) == f"{said} {reason}"


def test_a_sidecar_says_whose_it_is_and_takes_no_documents() -> None:
    assert source_of({"s": SIDECAR}, "simhash") == "texts"
    assert source_of({"s": SIDECAR}, "other") is None
    require_no_sidecar({"i": INSTALLED})
    with pytest.raises(MappingConflict, match="sidecar of 'texts'"):
        require_no_sidecar({"s": SIDECAR})


def test_entries_of_others_stay_in_meta() -> None:
    meta = with_entries({"_meta": {"theirs": 1, **INSTALLED["_meta"]}}, {"second": {"scheme": "x"}})
    assert meta["theirs"] == 1
    assert meta_entry({"_meta": meta}, "second") == {"scheme": "x"}
    assert meta_entry({"_meta": meta}, "simhash") == meta_entry(INSTALLED, "simhash")
