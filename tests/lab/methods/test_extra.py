"""Methods without the packages that they are taken from."""

import re
import subprocess
import sys

import pytest

from es_simhash.errors import MissingExtra, install_command
from es_simhash.lab.methods import parts_of_speech
from es_simhash.lab.methods.method_registry import method_named


@pytest.mark.parametrize(
    ("name", "package", "called"),
    [
        ("lcs", "rapidfuzz", "RapidFuzz"),
        ("minhash", "datasketch", "datasketch"),
        ("tfidf-cosine", "sklearn", "scikit-learn"),
        ("concept-kmeans", "sklearn", "scikit-learn"),
        ("word-frequency", "sklearn", "scikit-learn"),
    ],
)
def test_a_missing_package_is_named_with_its_command(
    name: str, package: str, called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [package, *(each for each in sys.modules if each.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as error:
        method_named(name).read(["One text.", "Another text."])
    assert repr(name) in str(error.value)
    assert called in str(error.value)
    assert str(error.value).endswith(f": {install_command('baselines')}.")


def test_chinese_parts_of_speech_without_jieba_name_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts_of_speech._chinese_tags.cache_clear()
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("chinese"))):
        parts_of_speech.chinese_kind("学校")


def test_the_default_method_needs_no_extra() -> None:
    code = (
        "import sys; from es_simhash.cli.main import cli;"
        "cli(['lab', 'evaluate', '--help'], standalone_mode=False);"
        "from es_simhash.lab.methods.method_registry import method_named;"
        "method_named('es-simhash').read(['One text.', 'Another.']).candidates();"
        "extras = {'sklearn', 'scipy', 'datasketch', 'rapidfuzz', 'jieba', 'spacy', 'matplotlib'};"
        "sys.exit(', '.join(extras & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
