"""Profiles of es-simhash.toml, and what counts before what."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from es_simhash.errors import InputError, MissingExtra
from es_simhash.store.connection import Connection
from es_simhash.store.profiles import choose_connection, complete, profile_files

SECRET = "hunter2-of-the-tests"
PROFILES = """
[profiles.production]
url = ["https://a.example.org", "https://b.example.org:9243"]
api_key = { variable = "PRODUCTION_KEY" }
ca_certs = "http_ca.crt"
request_timeout = 5
[profiles.staging]
user = "me"
password = { file = "word" }
compress = true
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with profiles, and one of the user without any."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PRODUCTION_KEY", SECRET)
    Path("es-simhash.toml").write_text(PROFILES, "utf-8")
    Path("word").write_text(f"{SECRET}\n", "utf-8")
    return tmp_path


def write_own(text: str) -> None:
    _, path = profile_files()
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")


def test_a_profile_gives_what_nothing_else_does(here: Path) -> None:
    expected = Connection(
        "https://a.example.org,https://b.example.org:9243",
        profile="production",
        api_key=SECRET,
        ca_certs=str(here / "http_ca.crt"),
        timeout=5,
    )
    assert complete(Connection(profile="production")) == expected
    assert complete(Connection(profile="production", timeout=7)).timeout == 7


def test_options_count_before_variables_and_those_before_the_profile() -> None:
    chosen = choose_connection(
        {"user": "typed"}, {"profile": "staging", "timeout": 9.0, "password": "exported"}
    )
    assert chosen.connection == Connection(
        profile="staging", user="typed", password="exported", compress=True, timeout=9.0
    )
    assert chosen.origins["user"] == "--user"
    assert chosen.origins["timeout"] == "ES_SIMHASH_REQUEST_TIMEOUT"
    assert chosen.origins["compress"].startswith("profile 'staging' of ")


def test_an_option_names_another_cluster_than_a_variable() -> None:
    chosen = choose_connection({"cloud_id": "a:b"}, {"url": "http://a:1"})
    assert chosen.connection == Connection(cloud_id="a:b")
    chosen = choose_connection({"user": "u", "password": "p"}, {"api_key": SECRET})
    assert chosen.connection == Connection(user="u", password="p")


def test_credentials_of_a_profile_are_not_sent_to_another_address() -> None:
    chosen = choose_connection({"profile": "production"}, {"url": "http://elsewhere:9200"})
    assert chosen.connection == Connection("http://elsewhere:9200", profile="production", timeout=5)
    assert chosen.note.startswith("ELASTICSEARCH_URL is used in place of the address of profile")
    # One without an address is for any.
    assert choose_connection({"profile": "staging", "url": "http://a:1"}).connection.password


def test_only_the_default_profile_of_the_user_is_used_by_itself() -> None:
    Path("es-simhash.toml").write_text("[profiles.default]\nurl = 'http://evil:1'\n", "utf-8")
    assert choose_connection({}, uses_default=True).connection == Connection()
    assert choose_connection({"profile": "default"}).connection.url == "http://evil:1"
    write_own("[profiles.default]\nurl = 'http://own:1'\n")
    assert choose_connection({}, uses_default=True).connection == Connection("http://own:1")
    assert choose_connection({}).connection == Connection()
    with pytest.raises(InputError, match=r"Profile 'default' is in .* and in .*Rename one"):
        choose_connection({"profile": "default"})


def test_a_keyring_has_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "[profiles.a]\napi_key = { keyring = 'NAME' }\n"
    Path("es-simhash.toml").write_text(table.replace("NAME", "ours"), "utf-8")
    monkeypatch.setitem(sys.modules, "keyring", None)  # type: ignore[arg-type]
    with pytest.raises(MissingExtra, match="Secrets of a keyring need"):
        complete(Connection(profile="a"))
    keyring = ModuleType("keyring")
    secrets = {("es-simhash", "ours"): SECRET}
    keyring.get_password = lambda *key: secrets.get(key)  # type: ignore[attr-defined]
    keyring.errors = SimpleNamespace(KeyringError=OSError)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert complete(Connection(profile="a")).api_key == SECRET
    Path("es-simhash.toml").write_text(table.replace("NAME", "theirs"), "utf-8")
    with pytest.raises(InputError, match="run `keyring set es-simhash theirs`"):
        complete(Connection(profile="a"))


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("prodution", PROFILES, "use one of production, staging (nearest: production)."),
        ("a", "", "There is no profile 'a': neither "),
        ("a", "[profiles.a]\nurll = 'http://a:1'", "profiles.a.urll is unknown; use one of"),
        ("a", "[profiles.a]\nurll = 'http://a:1'", "(nearest: url)."),
        ("a", "[profile.a]\nurl = 'http://a:1'", "profile is unknown; use one of profiles"),
        ("a", "profiles = 1", "profiles must be a table [profiles], got 1."),
        ("a", "[profiles]\na = 1", "profiles.a must be a table [profiles.a], got 1."),
        ("a", "[profiles.a]\nurl = 9200", "profiles.a.url must be a list of strings, got 9200."),
        ("a", "[profiles.a]\ncompress = 'yes'", "must be true or false, got 'yes'."),
        ("a", "[profiles.a]\nrequest_timeout = 0", "timeout must be seconds above 0, got 0."),
        ("a", "[profiles.a]\nrequest_timeout = 'soon'", "seconds above 0, got 'soon'."),
        ("a", f"[profiles.a]\napi_key = '{SECRET}'", "must name where the secret is"),
        ("a", f"[profiles.a]\nurl = 'http://u:{SECRET}@a:1'", "has credentials in it"),
        ("a", "[profiles.a]\napi_key = { }", "must name one of variable, file, keyring, got 0."),
        ("a", "[profiles.a]\napi_key = { varible = 'A' }", "(nearest: variable)."),
        ("a", "[profiles.a]\napi_key = { variable = 'ABSENT' }", "which is not in the environment"),
        ("a", "[profiles.a]\napi_key = { file = 'absent' }", "which cannot be read: No such file"),
        ("a", "[profiles.a]\nurl='http://a:1'\ncloud_id='b:c'", "are both given; leave out one."),
        ("a", "[profiles.a\n", "es-simhash.toml is not TOML: "),
        ("a", "[profiles.a]\npassword = { file = 'word' }", "A password is given without its user"),
    ],
)
def test_a_profile_that_cannot_serve_ends_in_a_sentence(
    name: str, text: str, sentence: str
) -> None:
    Path("es-simhash.toml").write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        complete(Connection(profile=name))
    assert sentence in str(raised.value)
    assert SECRET not in str(raised.value)
    assert "\n" not in str(raised.value)
