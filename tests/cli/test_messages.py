"""A sample of mistakes: each ends in one sentence, with the value and the way out.

`INDEX` is an index with a document, `INDXE` a slip of it; files are those of `FILES`.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from es_simhash import (
    Connection,
    EsSimhashError,
    Index,
    IndexConfig,
    MemoryIndex,
    OnVersion,
    Recency,
    Scheme,
    SearchOptions,
    SemanticScheme,
    compare,
    connect,
    methods,
)
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.store.installation.install import install

INDEX, SLIP = "mistakes-of-the-tests", "mistaeks-of-the-tests"
SECRET = "hunter2-of-the-tests"
FILES = {
    "a.jsonl": b'{"id": "1", "text": "The harbour opens at six in the morning."}\n',
    "bad.jsonl": b'{"id": "1", "text": "a"}\n{"id": 2\n',
    "a.txt": b"The harbour opens at six in the morning.\n",
    "notes.txt": b"Neither a record nor one that was cut off.\n" * 50,
    "latin1.txt": "Größe".encode("latin-1"),
    "pairs.tsv": b"1\t2\t1\n",
    "bad.tsv": b"1\t2\n",
    "typo.toml": b"feilds = ['title']\n",
    "types.toml": b"fields = 3\n",
    "limits.toml": b"[limits]\nsize = 0\n",
    "no.toml": b"a = [\n",
    "field.toml": b"fields = ['nope']\n",
    "es-simhash.toml": b"[profiles.production]\nurl = 'http://127.0.0.1:1'\n"
    b"[profiles.typo]\nurll = 'http://127.0.0.1:1'\n"
    b"[profiles.plain]\napi_key = 'secret'\n"
    b"[profiles.absent]\napi_key = { variable = 'ABSENT' }\n",
}
MEANT = f"Index '{SLIP}' does not exist. Did you mean '{INDEX}'?"
UNREADABLE = "cannot be read: No such file or directory."

# What is typed, and a part of the sentence.
TYPED = [
    # The connection
    ("status INDEX --url http://127.0.0.1:1", "No cluster answers at http://127.0.0.1:1"),
    ("status INDEX --url https://127.0.0.1:1", "No cluster answers at https://127.0.0.1:1"),
    ("status INDEX --url localhost:9200", "such as http://localhost:9200, got 'localhost:9200'."),
    ("status INDEX --url ftp://localhost", "got 'ftp://localhost'. Set --url."),
    (f"status INDEX --url http://u:{SECRET}@:9", "got 'http://***@:9'. Set --url."),
    ("status INDEX --profile prodction", "one of absent, plain, production, typo (nearest: prod"),
    ("status INDEX --profile typo", "profiles.typo.urll is unknown; use one of"),
    ("status INDEX --profile typo", "(nearest: url)."),
    ("status INDEX --profile plain", "must name where the secret is, as { variable = … }"),
    ("status INDEX --profile absent", "names ABSENT, which is not in the environment."),
    ("status INDEX --cloud-id x", "--cloud-id 'x' is invalid. Copy it from the page of the dep"),
    ("status INDEX --url http://a --cloud-id x:y", "are both given; leave out one."),
    ("status INDEX --ca-certs absent.pem", "File 'absent.pem' does not exist."),
    ("status INDEX --url https://a --ca-certs a.txt", "is no certificate in PEM. Set --ca-certs."),
    ("status INDEX --url https://a --client-cert a.txt", "Set --client-cert."),
    ("status INDEX --client-key a.txt", "given without its certificate. Set --client-cert."),
    ("status INDEX --fingerprint 12", "64 hexadecimal digits of a SHA-256, got '12'."),
    ("status INDEX --request-timeout soon", "'soon' is not a valid number."),
    ("status INDEX --request-timeout 0", "0.0 is not in the range x>0."),
    (f"status INDEX --password {SECRET}", "A password is given without its user. Set --user."),
    # Commands and options
    ("statsu INDEX", "No such command 'statsu'. Did you mean `"),
    ("families lst INDEX", "es-simhash families list`?"),
    ("lab lable INDEX", "es-simhash lab label`?"),
    ("status", "Missing argument 'INDEX'."),
    ("status INDEX other", "Got unexpected extra argument (other)"),
    ("status INDEX --formta json", "No such option '--formta'. (Did you mean one of: '--format'"),
    ("status INDEX --format jsno", "'jsno' is not one of 'table', 'json' (nearest: json)."),
    ("install INDEX --text-field body", "No such option '--text-field'. `es-simhash config INDEX "),
    ("install INDEX --txt-field body", "No such option '--txt-field'."),
    # An index that does not exist
    ("status INDXE", MEANT),
    ("doctor INDXE", MEANT),
    ("config INDXE", MEANT),
    ("related INDXE --id 1", MEANT),
    ("related INDXE --text x", MEANT),
    ("explain INDXE 1 2", MEANT),
    ("changes INDXE 1 2", MEANT),
    ("blame INDXE 1", MEANT),
    ("copies INDXE", MEANT),
    ("families run INDXE", MEANT),
    ("families list INDXE", MEANT),
    ("families show INDXE 1", MEANT),
    ("families same INDXE 1 2", MEANT),
    ("families dismiss INDXE 1 2", MEANT),
    ("families decisions INDXE", MEANT),
    ("background INDXE", MEANT),
    ("backfill INDXE", MEANT),
    ("sweep INDXE", MEANT),
    ("report INDXE --html r.html", MEANT),
    ("serve INDXE --check", MEANT),
    ("lab tune INDXE", MEANT),
    ("undo INDXE a.jsonl", MEANT),
    ("pipeline --index INDXE", MEANT),
    ("ingest INDXE a.jsonl", f"{MEANT} Else create it with `es-simhash install {SLIP}`."),
    ("install INDXE", f"but '{INDEX}' does. Name that, or add --create."),
    ("install Mistakes", "takes no index of the name 'Mistakes': it must be lowercase. Name it 'm"),
    ("install 'a b'", "takes no index of the name 'a b': it must not contain"),
    # Questions
    ("related INDEX", "Give exactly one of --id, --text-file and --text."),
    ("related INDEX --id nope", f"Document 'nope' is not in index '{INDEX}'. Check the id."),
    ("related INDEX --text x --size 0", "0 is not in the range x>=1."),
    ("related INDEX --text x --size many", "'many' is not a valid whole number."),
    ("related INDEX --text x --kind versoin", "(nearest: version)."),
    ("related INDEX --text x --min-score 2", "2.0 is not in the range 0<=x<=1."),
    ("related INDEX --text x --filter {", "--filter is not valid JSON"),
    ("related INDEX --text x --filter [1]", "--filter must be a JSON object, got list '[1]'."),
    ("""related INDEX --text x --filter '{"trem": {}}'""", "unknown field [trem]"),
    ("related INDEX --id 1 --text-field bdoy", "has no text in field 'bdoy'"),
    ("related INDEX --text-file absent.txt", "absent.txt"),
    ("related INDEX --text x --k 99", "promise a Hamming distance of 0 to 7, not 99; take"),
    ("related INDEX --text x --vocabulary absent.ttl", "File 'absent.ttl' does not exist."),
    ("related INDEX --text x --vocabulary a.jsonl", "no vocabulary by its suffix '.jsonl'. Name"),
    ("related INDEX --text x --simhash-field nope", "but under 'simhash'. Set --simhash-field."),
    ("related INDEX --text x --family smae", "(nearest: same)."),
    ("related INDEX --text x --method tokn-simhash", "(nearest: token-simhash)."),
    ("explain INDEX 1", "Missing argument 'B'."),
    ("explain INDEX 1 nope", "Document 'nope' is not in index"),
    ("changes INDEX nope 1", "Document 'nope' is not in index"),
    ("changes INDEX 1 2 --format htlm", "(nearest: html)."),
    ("blame INDEX nope", "or list the families with `es-simhash families list"),
    ("blame INDEX 1 --date-field txet", "nearest field of the mapping is 'text'. Set --date-field"),
    ("families show INDEX nope", "has neither a document nor a family 'nope'. Check the id."),
    ("families same INDEX 1 nope", f"Document 'nope' is not in index '{INDEX}'. Check the id."),
    ("families dismiss INDEX 1 nope", f"Document 'nope' is not in index '{INDEX}'. Check the id."),
    ("families dismiss INDEX 1 1", "'1' is one document; pass the ids of two."),
    ("families run INDEX --within nope", "has a field 'nope'; the nearest"),
    # Writing
    ("ingest INDEX", "Missing argument 'PATH...'."),
    ("ingest INDEX absent.jsonl", "absent.jsonl does not exist"),
    ("ingest INDEX bad.jsonl --quiet", "1 document failed. See "),
    ("ingest INDEX a.jsonl --on-version skp", "(nearest: skip)."),
    ("ingest INDEX a.jsonl --processes 0", "0 is not in the range x>=1."),
    ("ingest INDEX a.jsonl --on-version skip --min-score 7", "7.0 is not in the range 0<=x<=1."),
    ("ingest INDEX a.jsonl --journal a.jsonl", "'a.jsonl' is no journal and would be overwritten"),
    ("backfill INDEX --filter {", "--filter is not valid JSON"),
    ("backfill INDEX --sidecar INDEX", "cannot be its own sidecar; name another index."),
    ("backfill INDEX --processes x", "'x' is not a valid whole number."),
    ("sweep INDEX --every soon", "'soon' is not a duration. Give one such as 60s, 5m or 2h."),
    ("undo INDEX absent.jsonl", "'absent.jsonl' cannot be read (No such file or directory). Name "),
    ("undo INDEX a.jsonl", "has no decisions of index"),
    ("undo INDEX notes.txt", "has no decisions of index"),
    # Setting up
    ("install", "Missing argument 'INDEX'."),
    ("install INDEX --scheme token-simhsh", "(nearest: token-simhash)."),
    ("install INDEX --extractor bultin", "Unknown extractor 'bultin'; there are builtin"),
    ("install INDEX --vectors non", "(nearest: none)."),
    ("install INDEX --dims 7", "7 is not in the range 8<=x<=4096."),
    ("install INDEX --extractor spacy:nope", "install it with `python -m spacy download nope`"),
    ("install INDEX --entity-field txet", "the nearest field of the mapping is 'text'."),
    ("install --template nope", "Index template 'nope' does not exist."),
    ("config INDEX --title-field txet", "the mapping is 'text'. Set --title-field."),
    ("config INDEX --date-field text", "is mapped as text, not as a date. Set --date-field."),
    ("config INDEX --link http://x/{nope}", "has a field 'nope'; the nearest"),
    ("config INDEX --unset titel-field", "(nearest: title-field)."),
    ("config INDEX --representative longst", "(nearest: longest)."),
    ("config INDEX --version-threshold 3", "3.0 is not in the range 0<x<1."),
    ("config INDEX --propose --accept", "--propose stores nothing; give it without other"),
    ("pipeline --scheme md5", "Unknown scheme 'md5'; names look like"),
    ("plan --documents many", "'many' is not a valid whole number."),
    ("plan", "Missing option '--documents'."),
    ("demo --corpus absent.jsonl", "File 'absent.jsonl' does not exist."),
    # The service
    ("serve INDEX --check --config absent.toml", "Cannot read absent.toml: No such file or direct"),
    ("serve INDEX --check --config no.toml", "no.toml is not TOML"),
    ("serve INDEX --check --config typo.toml", "(nearest: fields)."),
    ("serve INDEX --check --config types.toml", "fields must be a list of strings, got 3."),
    ("serve INDEX --check --config limits.toml", "limits.size must be a whole number from 1 to"),
    ("serve INDEX --check --config field.toml", "has a field 'nope'; the nearest"),
    ("serve INDEX --port 99999", "99999 is not in the range 0<=x<=65535."),
    ("serve INDEX --host nohost.invalid --port 0", "Cannot listen on nohost.invalid port 0"),
    ("warm absent.txt", UNREADABLE),
    # The lab, and files
    ("lab evaluate absent.tsv --texts a.jsonl", UNREADABLE),
    ("lab evaluate bad.tsv --texts a.jsonl", "'bad.tsv', line 1: expected id, id and label"),
    ("lab evaluate pairs.tsv", "Give either --texts or --index."),
    ("lab evaluate pairs.tsv --texts a.jsonl --method lsc", "(nearest: lcs)."),
    ("lab tune INDEX --labels absent.tsv", UNREADABLE),
    ("files compare a.txt", "Missing argument 'B'."),
    ("files compare absent.txt a.txt", UNREADABLE),
    ("files compare a.txt a.txt --method shingels", "(nearest: shingles)."),
    ("files fingerprint latin1.txt", "is not UTF-8: byte 2 is 0xf6. Convert it"),
    ("files fingerprint a.txt --scheme token-simhahs", "(nearest: token-simhash)."),
    ("files fingerprint .", "File '.' cannot be read: Is a directory. Check the path."),
    ("files concepts a.txt --extractor spacy:nope", "python -m spacy download nope"),
]

# What is called in Python, and a part of the sentence.
CALLED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda client: connect("localhost:9200"), "got 'localhost:9200'. Set url."),
    (lambda client: connect(Connection(profile="prodction")), "(nearest: production)."),
    (lambda client: connect(Connection(fingerprint="12")), "fingerprint must be the 64"),
    (lambda client: Index(client, SLIP).related(id="1"), f"Index '{SLIP}' does not exist."),
    (lambda client: Index(client, INDEX).related(id="nope"), "Document 'nope' is not in"),
    (lambda client: Index(client, INDEX).related(), "id"),
    (lambda client: SearchOptions(kinds=("versoin",)), "'versoin' (nearest: version)."),  # type: ignore[arg-type]
    (lambda client: SearchOptions(size=0), "size must be at least 1, got 0."),
    (lambda client: SearchOptions(min_score=2), "min_score must be between 0 and 1, got 2."),
    (lambda client: OnVersion(action="drop"), "action must be one of"),  # type: ignore[arg-type]
    (lambda client: Recency("date", -1), "half_life must be more than 0 days, got -1."),
    (lambda client: IndexConfig(version_threshold=3.0), "3.0"),
    (lambda client: IngestSettings(processes=0), "processes must be at least 1"),
    (lambda client: Scheme.parse("md5"), "Unknown scheme 'md5'"),
    (lambda client: SemanticScheme("bultin"), "(nearest: builtin)."),
    (lambda client: SemanticScheme(dims=7), "7"),
    (lambda client: compare("a", "b", vocabulary="absent.txt"), "absent.txt"),
    (lambda client: methods.method_score("a", "b", method="lsc"), "(nearest: lcs)."),
    (lambda client: MemoryIndex().related(id="nope"), "'nope'"),
    (lambda client: install(client, INDEX, scheme=("md5",)), "Unknown scheme 'md5'"),
    (lambda client: list(ingest(client, SLIP, [{"id": "1", "text": "a"}])), "es-simhash install"),
]


@pytest.fixture(scope="module")
def index(cluster_url: str) -> Iterator[str]:
    with connect(cluster_url) as client:
        client.indices.delete(index=[INDEX, SLIP], ignore_unavailable=True)
        install(client, INDEX)
        documents = [{"id": id, "text": f"The harbour opens at six, {id}."} for id in "12"]
        assert all(each.ok for each in ingest(client, INDEX, documents))
        client.indices.refresh(index=INDEX)
        yield INDEX
        client.indices.delete(index=[INDEX, SLIP, f"{INDEX}-simhash"], ignore_unavailable=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mistakes")
    for name, content in FILES.items():
        (path / name).write_bytes(content)
    return path


def test_there_are_a_hundred() -> None:
    assert len(TYPED) + len(CALLED) >= 100
    commands = {re.match(r"(families|lab|files)? ?[\w-]+", typed) for typed, _ in TYPED}
    assert len(commands) > 25


@pytest.mark.cluster
@pytest.mark.parametrize(("typed", "part"), TYPED, ids=[typed for typed, _ in TYPED])
def test_a_mistake_that_is_typed(
    run: Any,
    cluster_url: str,
    index: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    part: str,
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(folder / "home"))
    names = {"INDEX": index, "INDXE": SLIP}
    arguments = [names.get(word, word) for word in shlex.split(typed)]
    if "--profile" not in arguments:
        monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    done = run(*arguments)
    assert done.status in (1, 2), done
    last = done.err.splitlines()[-1]
    assert last.startswith("Error: ")
    assert part in last
    assert "Traceback" not in done.err
    assert SECRET not in done.err
    # Before the sentence there is the usage, or a line for each document that failed.
    assert len(done.err.splitlines()) <= 4


@pytest.mark.cluster
@pytest.mark.parametrize(("call", "part"), CALLED)
def test_a_mistake_in_python(
    client: Any,
    index: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Callable[[Any], Any],
    part: str,
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(EsSimhashError) as raised:
        call(client)
    assert part in str(raised.value)
    assert "\n" not in str(raised.value)
