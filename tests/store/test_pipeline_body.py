"""The pipeline as a file and as a request body; no engine."""

import json
from pathlib import Path

import pytest

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.store import pipeline
from scripts import build_pipeline
from scripts.build_pipeline import build
from tests.bench.pipeline import differing_bits

FILE = Path(__file__).parents[2] / "ingest" / "simhash@pipeline.json"


def test_the_file_is_what_the_scripts_and_tables_make() -> None:
    assert json.loads(FILE.read_text("utf-8")) == build()


def test_the_body_without_arguments_is_the_file() -> None:
    assert pipeline.pipeline_body(DEFAULT) == json.loads(FILE.read_text("utf-8"))


def test_the_script_stays_below_the_limit_of_its_size() -> None:
    script = build()["processors"][0]["script"]
    assert len(script["source"].encode()) < 65_535


def test_scheme_and_fields_reach_the_script_as_params() -> None:
    scheme = Scheme(bits=64, blocks=5, min_chunk_tokens=3, max_chunk_tokens=20, window=64)
    body = pipeline.pipeline_body(scheme, text_field="body.text", simhash_field="meta.simhash")
    script = body["processors"][0]["script"]
    params = script["params"]
    assert params["scheme"] == scheme.name
    assert (params["bits"], params["blocks"], params["window"]) == (64, 5, 64)
    assert (params["least_tokens"], params["most_tokens"]) == (3, 20)
    assert (params["field"], params["simhash_field"]) == ("body.text", "meta.simhash")
    assert script["on_failure"][0]["set"]["field"] == "meta.simhash"
    assert script["source"] == build()["processors"][0]["script"]["source"]


@pytest.mark.parametrize("name", ["", "a..b", ".text", "_id"])
def test_a_name_that_is_no_field_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="must be the name of a field"):
        pipeline.pipeline_body(text_field=name)
    with pytest.raises(InputError, match="must be the name of a field"):
        pipeline.pipeline_body(simhash_field=name)


def test_the_tables_say_of_each_character_what_the_data_files_say() -> None:
    tables = build_pipeline.tables()

    def properties(character: str) -> int:
        page = ord(tables["index"][ord(character) >> 8]) - 256
        return ord(tables["pages"][page * 256 + (ord(character) & 255)]) - 48

    assert [properties(each) & 7 for each in "a第\u0301\u00ad "] == [1, 2, 3, 4, 0]
    assert [properties(each) >> 3 & 7 for each in ".。) \n"] == [1, 2, 3, 4, 5]
    assert properties("\U000323af") >> 6 & 1 == 1  # Unicode 15.0
    assert properties("Ж") >> 7 == 1
    assert tables["folds"]["ß"] == "ss"
    assert "Ａ" not in tables["folds"]  # NFKC comes first and leaves none


def test_differing_bits_counts_bits() -> None:
    assert differing_bits({"a": "x"}, {"a": "x"}) == 0
    assert differing_bits({"a": "a"}, {"a": "c"}) == 1
    assert differing_bits({"a": "a"}, {"a": "ab"}) >= 8
