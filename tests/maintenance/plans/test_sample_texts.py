"""The documents of a sample, from files and from indices, and samples that are none."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.maintenance.plans import sample_texts
from es_simhash.maintenance.plans.sample_texts import sample_of_file, sample_of_index
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway

CONFIG = IndexConfig()


def lines(path: Path, *documents: object) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in documents), "utf-8")
    return str(path)


def test_a_file_is_drawn_from_at_random_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_texts, "OF_FILE", 50)
    path = lines(tmp_path / "a.jsonl", *({"id": str(n), "text": f"no {n}"} for n in range(1000)))
    sample = sample_of_file(path, CONFIG)
    numbers = [int(each.id) for each in sample.texts]
    assert len(set(numbers)) == 50
    assert 300 < sum(numbers) / 50 < 700
    assert sample_of_file(path, CONFIG) == sample


def test_what_has_no_text_is_counted(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"text": "a b"}, {"title": "none"}, {"text": "c d"})
    sample = sample_of_file(path, CONFIG)
    assert [each.text for each in sample.texts] == ["a b", "c d"]
    assert sample.without_text == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is empty. Set sample."),
        ("\n\n", "is empty. Set sample."),
        ("id,text\n1,a comma is no colon\n", "a.jsonl:1: Malformed JSON"),
        ("[1, 2]\n", "a.jsonl:1: The line holds a list, not an object"),
        ('{"body": "x"}\n', "a.jsonl:1: "),
    ],
)
def test_a_file_without_a_text_says_why(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        sample_of_file(str(path), CONFIG)
    message = str(error.value)
    assert message.startswith(f"Sample {str(path)!r} ")
    assert reason in message
    assert "\n" not in message


@pytest.mark.cluster
def test_an_index_gives_its_documents_without_our_fields(
    client: Any, sample: str, corpus: dict[str, Any]
) -> None:
    found = sample_of_index(Gateway.of(client), sample, CONFIG)
    texts = {each.id: each.text for each in found.texts}
    assert texts == {id: document["text"] for id, document in corpus.items()}
    assert not any(b"simhash" in each.source for each in found.texts)


@pytest.mark.cluster
def test_a_chinese_document_is_as_long_as_it_is_in_a_file(
    client: Any, index_name: str, write: Any
) -> None:
    write(index_name, {"1": {"text": "央行提高利率"}})
    (sampled,) = sample_of_index(Gateway.of(client), index_name, CONFIG).texts
    assert sampled.source == '{"text":"央行提高利率"}'.encode()


@pytest.mark.cluster
def test_a_mistyped_name_is_told_the_nearest(
    client: Any, sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = Gateway.of(client)
    with pytest.raises(InputError, match=f"neither a file nor an index. Did you mean '{sample}'"):
        sample_of_index(gateway, f"{sample[:-1]}_", CONFIG)
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "articles.jsonl", {"text": "a"})
    with pytest.raises(InputError, match=r"Did you mean 'articles\.jsonl'\? Set sample\."):
        sample_of_index(gateway, "artcles.jsonl", CONFIG)
    with pytest.raises(InputError, match=r"neither a file nor an index\. Set sample\."):
        sample_of_index(gateway, "qqqqq", CONFIG)


@pytest.mark.cluster
def test_an_index_without_documents_or_texts_says_so(
    client: Any, index_name: str, write: Any
) -> None:
    client.indices.create(index=index_name)
    with pytest.raises(InputError, match=r"has no document\. Set sample\."):
        sample_of_index(Gateway.of(client), index_name, CONFIG)
    write(index_name, {"1": {"body": "a text"}})
    with pytest.raises(InputError, match=r"with a text in 'text'\. Set sample\."):
        sample_of_index(Gateway.of(client), index_name, CONFIG)
    body = IndexConfig(text_field="body")
    assert [each.text for each in sample_of_index(Gateway.of(client), index_name, body).texts] == [
        "a text"
    ]
