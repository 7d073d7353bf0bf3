"""`es-simhash files compare --method` and fingerprints as strings."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import InputError, SchemeError, SchemeMismatch
from es_simhash.lab.methods.method_registry import FINGERPRINT_METHODS, method_names
from es_simhash.lab.methods.method_scores import (
    compare_fingerprints,
    method_fingerprint,
    method_schemes,
)
from es_simhash.lab.methods.token_simhash import TOKEN_SCHEME
from tests.support.made_up_texts import make_text, revise


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sentence = (
        "The committee met on Monday to discuss the harbour and the new ferry to the island. "
    )
    texts = {
        "a": sentence * 20 + make_text(1),
        "b": sentence * 20 + revise(make_text(1), 1),
        "c": "A quite different story is told in these lines of the other text. " * 20,
        "empty": "?!",
        "thai": "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์เช่นเดียวกับภาษาจีน " * 5,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", method_names())
def test_each_method_compares_two_files(run: Any, name: str) -> None:
    done = run("files", "compare", "a", "a", "--method", name, "--format", "json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    assert found["method"] == name
    assert found["score"] == pytest.approx(1)
    assert found["version"] is True
    near = json.loads(run("files", "compare", "a", "b", "--method", name, "--format", "json").out)
    far = json.loads(run("files", "compare", "a", "c", "--method", name, "--format", "json").out)
    assert near["score"] >= far["score"]
    line = run("files", "compare", "a", "a", "--method", name).out
    assert line.startswith("a and a: ")
    assert "score 1.0000" in line


def fingerprint_string(run: Any, file: str, scheme: str) -> str:
    done = run("files", "fingerprint", file, "--scheme", scheme, "--format", "table")
    return str(done.out.strip())


@pytest.mark.usefixtures("files")
def test_token_fingerprints_are_compared_without_their_texts(run: Any) -> None:
    a, b = (fingerprint_string(run, file, "token-simhash") for file in "ab")
    assert a.startswith(f"{TOKEN_SCHEME}:")
    named = json.loads(run("files", "fingerprint", "a", "--scheme", TOKEN_SCHEME).out)
    assert named == {"scheme": TOKEN_SCHEME, "fingerprint": a}
    arguments = ("--method", "token-simhash", "--format", "json")
    of_texts = run("files", "compare", "a", "b", *arguments).out
    assert run("files", "compare", a, b, *arguments).out == of_texts
    assert run("files", "compare", a.lower(), "b", *arguments).out == of_texts
    assert "closely alike" in run("files", "compare", a, a, "--method", "token-simhash").out


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", FINGERPRINT_METHODS)
def test_strings_of_each_method_are_compared_without_their_texts(run: Any, name: str) -> None:
    a, b = (run("files", "fingerprint", file, "--scheme", name, "--format", "table").out.strip()
            for file in "ab")  # fmt: skip
    scheme = method_schemes()[name]
    assert a.startswith(f"{scheme}:")
    assert json.loads(run("files", "fingerprint", "a", "--scheme", scheme).out) == {
        "scheme": scheme,
        "fingerprint": a,
    }
    arguments = ("--method", name, "--format", "json")
    of_texts = run("files", "compare", "a", "b", *arguments).out
    for one, other in ((a, b), (a.lower(), b), (a, "b"), ("a", b)):
        assert run("files", "compare", one, other, *arguments).out == of_texts
    assert compare_fingerprints(a, b) == pytest.approx(json.loads(of_texts)["score"], abs=5e-5)
    assert method_fingerprint((Path("a")).read_text("utf-8"), name) == a


@pytest.mark.usefixtures("files")
def test_strings_of_two_schemes_are_one_sentence(run: Any) -> None:
    names = ("token-simhash", "simhash-4grams", "minhash-murmur3")
    strings = {name: fingerprint_string(run, "a", name) for name in names}
    for name in strings:
        for other in set(strings) - {name}:
            sentence = run(
                "files", "compare", strings[name], strings[other], "--method", name
            ).refusal()
            assert repr(method_schemes()[name]) in sentence
            assert repr(method_schemes()[other]) in sentence
            with pytest.raises(SchemeMismatch):
                compare_fingerprints(strings[name], strings[other])
    texts_only = run("files", "compare", *list(strings.values())[:2], "--method", "lcs").refusal()
    assert "'lcs' compares texts" in texts_only
    with pytest.raises(SchemeMismatch, match=r"Unknown scheme 'other\.v3'"):
        compare_fingerprints("other.v3:AAAA", "other.v3:AAAA")
    with pytest.raises(SchemeError):
        compare_fingerprints("no fingerprint", strings["token-simhash"])
    assert "'lcs' is no method whose fingerprints" in (
        run("files", "fingerprint", "a", "--scheme", "lcs").refusal()
    )
    thai = run("files", "fingerprint", "thai", "--scheme", "weighted-simhash").refusal()
    assert "cannot read 'thai': it is in language 'th'" in thai
    assert method_fingerprint("?!", "token-simhash") is None
    with pytest.raises(InputError, match="it is in language 'th'"):
        method_fingerprint(Path("thai").read_text("utf-8"), "weighted-simhash")


@pytest.mark.usefixtures("files")
def test_what_cannot_be_compared_is_one_sentence(run: Any) -> None:
    def refusal(*arguments: str) -> str:
        return str(run("files", "compare", *arguments).refusal())

    other = "other-scheme.v2:AAAAAAAAAAAAA"
    sentence = refusal("a", other, "--method", "token-simhash")
    assert "'other-scheme.v2'" in sentence
    assert repr(TOKEN_SCHEME) in sentence
    assert "base32" in refusal(f"{TOKEN_SCHEME}:ABC", "a", "--method", "token-simhash")
    assert "'empty'" in refusal(f"{TOKEN_SCHEME}:{'A' * 13}", "empty", "--method", "token-simhash")
    unread = refusal("a", "thai", "--method", "weighted-simhash")
    assert "'thai'" in unread
    assert "en and zh" in unread
    assert "weighted-simhash" in refusal("a", "b", "--method", "weighted")
    assert "no words" in run("files", "fingerprint", "empty", "--scheme", "token-simhash").refusal()
    for option in (["--changes"], ["--html", "x.html"]):
        usage = run("files", "compare", "a", "b", "--method", "lcs", *option).wrong_usage()
        assert "--method" in usage
    none = run("files", "compare", "a", "empty", "--method", "lcs")
    assert "no versions, score 0.0000" in none.out
