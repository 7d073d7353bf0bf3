import subprocess
import sys

from es_simhash.errors import install_command

SENTENCE = f"Bulk work on Spark needs PySpark: {install_command('spark')}."


def test_without_pyspark_one_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyspark'] = None; import es_simhash.spark.frames"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == f"es_simhash.errors.MissingExtra: {SENTENCE}"
