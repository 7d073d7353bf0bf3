"""The similarity is a value: without numpy, which help of a command does without."""

import subprocess
import sys


def test_relations_are_typed_without_numpy() -> None:
    code = (
        "import sys, es_simhash.semantics.semantic_similarity, es_simhash.relation.relation;"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
