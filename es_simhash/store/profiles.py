"""Profiles of connections in es-simhash.toml, and what decides: options, variables, the profile."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from es_simhash.described import parameters
from es_simhash.errors import InputError, MissingExtra, nearest_note
from es_simhash.store.connection import CREDENTIALS, SECRETS, Connection
from es_simhash.store.toml_tables import TomlTable, read_toml
from es_simhash.text.escaping import masked_url

FILE = "es-simhash.toml"
# The profile that is used where none is named. Only that of the user: a folder may be of somebody
# else, who could have the secrets of a variable sent to an address of theirs.
DEFAULT_PROFILE = "default"
# The service under which a keyring has the secrets.
KEYRING_SERVICE = "es-simhash"
_ADDRESS = ("url", "cloud_id")
_FILES = ("ca_certs", "client_cert", "client_key")
_CREDENTIALS = (*CREDENTIALS, "password")
_REFERENCES = ("variable", "file", "keyring")
_PREFIX = "ES_SIMHASH_"
# How much of its name a misspelt variable has in common with the right one.
_MISSPELT = 0.75

Values = Mapping[str, Any]


@dataclass(frozen=True)
class ChosenConnection:
    """A connection, and where its values are from.

    Attributes:
        connection: The connection, complete.
        origins: What gives each value that is not as by default, by name: an option, a variable, a
            profile.
        note: What an option or a variable overrides that a profile says; empty for nothing.
    """

    connection: Connection
    origins: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class _Profile:
    """A profile of a file: values by the name of the parameter."""

    name: str
    file: Path
    values: Values

    def __str__(self) -> str:
        return f"profile {self.name!r} of {self.file}"


def choose_connection(
    options: Values, variables: Values | None = None, *, uses_default: bool = False
) -> ChosenConnection:
    """Return the connection of options, else of variables, else of a profile.

    The address and the credentials are taken from one place each, as a whole. Credentials and
    certificates of a profile are not sent to another address than its own.

    Args:
        options: Values that were given, by name.
        variables: Values of the environment, by name; None for no environment.
        uses_default: Whether the user's profile `default` is used where none is named.

    Raises:
        InputError: There is no such profile, it is invalid, or the values do not go together.
        MissingExtra: It refers to a keyring, which is not installed.
    """
    variables = variables or {}
    if _first(options, _ADDRESS):
        variables = _without(variables, _ADDRESS)
    if _first(options, CREDENTIALS):
        # The password of `--user` may be in the environment.
        is_kept = "user" in options and "password" not in options
        variables = _without(variables, CREDENTIALS if is_kept else _CREDENTIALS)
    known = parameters(Connection)
    origins = {name: str(known[name].variable) for name in variables}
    origins |= {name: f"--{known[name].called.replace('_', '-')}" for name in options}
    given = {**variables, **options}
    named = given.pop("profile", None)
    profile = _profile(named, uses_default=uses_default)
    if profile is None:
        return ChosenConnection(_valid(given), origins)
    values, note = profile.values, ""
    overriding = _first(given, _ADDRESS)
    if overriding and _first(values, _ADDRESS):
        values = _without(values, (*_ADDRESS, *_CREDENTIALS, *_FILES, "fingerprint"))
        if named:
            note = (
                f"{origins[overriding]} is used in place of the address of {profile}, whose "
                "credentials and certificates are not sent there."
            )
    if _first(given, CREDENTIALS):
        values = _without(values, _CREDENTIALS)
    origins = dict.fromkeys(values, str(profile)) | origins
    connection = _valid({**values, **given, "profile": named})
    return ChosenConnection(connection, origins, note)


def misspelt_variables(names: Iterable[str]) -> dict[str, str]:
    """Return variables that were probably meant for a connection: name → the one that is read.

    Args:
        names: Names of the environment.
    """
    read = {str(each.variable) for each in parameters(Connection).values()}
    by_end = {name.removeprefix(_PREFIX).removeprefix("ELASTICSEARCH_"): name for name in read}
    return {
        name: by_end[nearest[0]]
        for name in sorted(names)
        if name.startswith(_PREFIX)
        and name not in read
        and (nearest := get_close_matches(name.removeprefix(_PREFIX), by_end, 1, _MISSPELT))
    }


def complete(connection: Connection) -> Connection:
    """Return a connection with what its profile gives.

    Raises:
        InputError: There is no such profile, it is invalid, or the values do not go together.
        MissingExtra: It refers to a keyring, which is not installed.
    """
    default = Connection()
    values = {each.name: getattr(connection, each.name) for each in fields(connection)}
    given = {name: value for name, value in values.items() if value != getattr(default, name)}
    return choose_connection(given).connection


def _valid(values: Values) -> Connection:
    connection = Connection(**values)
    connection.require_valid()
    return connection


def _first(values: Values, names: Collection[str]) -> str | None:
    return next((name for name in names if name in values), None)


def _without(values: Values, names: Collection[str]) -> Values:
    return {name: value for name, value in values.items() if name not in names}


def profile_files() -> tuple[Path, Path]:
    """Return where profiles are: in the working folder, and in the user's configuration folder."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
    return Path(FILE), folder / "es-simhash" / FILE


def _profile(name: str | None, *, uses_default: bool) -> _Profile | None:
    """Return the profile of a name, or the user's own; None where none is wanted."""
    if name is None and not uses_default:
        return None
    files = profile_files()
    found = [path for path in (files if name else files[1:]) if path.is_file()]
    tables = {path: _profiles(path) for path in found}
    having = [path for path, table in tables.items() if (name or DEFAULT_PROFILE) in table]
    if name is None:
        name, having = DEFAULT_PROFILE, having[:1]
        if not having:
            return None
    if len(having) > 1:
        raise InputError(
            f"Profile {name!r} is in {having[0].absolute()} and in {having[1]}. Rename one."
        )
    if not having:
        raise _unknown(name, {key for table in tables.values() for key in table.names()})
    path = having[0].absolute()
    return _Profile(name, path, _values(tables[having[0]].table(name), path.parent))


def _profiles(path: Path) -> TomlTable:
    file = read_toml(path)
    profiles = file.table("profiles")
    file.require_known()
    return profiles


def _unknown(name: str, names: Collection[str]) -> InputError:
    if not names:
        here, own = profile_files()
        return InputError(
            f"There is no profile {name!r}: neither {here.absolute()} nor {own} has one. Write "
            f"[profiles.{name}] into one of them."
        )
    return InputError(
        f"There is no profile {name!r}; use one of {', '.join(sorted(names))}"
        f"{nearest_note(name, names)}."
    )


def _values(table: TomlTable, folder: Path) -> Values:
    """Return the values of a profile; its files are relative to its folder."""
    plain = [name for name in parameters(Connection) if name not in (*SECRETS, "profile", "url")]
    renamed = {"timeout": "request_timeout"}
    values = table.options(
        Connection,
        *(name for name in plain if name not in renamed),
        **renamed,
    )
    if (urls := table.text_or_texts("url")) is not None:
        for url in urls:
            if masked_url(url) != url:
                raise table.error(
                    "url",
                    f"has credentials in it, {masked_url(url)!r}; use user, and password as "
                    "{ variable = … }",
                )
        values["url"] = ",".join(urls)
    for name in SECRETS:
        if name in table:
            values[name] = _secret(table, name, folder)
        else:
            table.know(name)
    for name in _FILES:
        if name in values:
            values[name] = str(folder / Path(values[name]).expanduser())
    table.require_known()
    return values


def _secret(table: TomlTable, name: str, folder: Path) -> str:
    """Return a secret of the environment, a file or a keyring."""
    if not table.has_table(name):
        raise table.error(
            name,
            "must name where the secret is, as { variable = … }, { file = … } or "
            "{ keyring = … }, not the secret itself",
        )
    reference = table.table(name)
    places = {place: reference.text(place) for place in _REFERENCES}
    reference.require_known()
    named = {place: value for place, value in places.items() if value is not None}
    if len(named) != 1:
        raise table.error(name, f"must name one of {', '.join(_REFERENCES)}, got {len(named)}")
    ((place, value),) = named.items()
    read = {"variable": _variable, "file": _file, "keyring": _keyring}[place]
    return read(reference, value, folder)


def _variable(table: TomlTable, name: str, _: Path) -> str:
    value = os.environ.get(name)
    if not value:
        raise table.error("variable", f"names {name}, which is not in the environment")
    return value


def _file(table: TomlTable, name: str, folder: Path) -> str:
    path = folder / Path(name).expanduser()
    try:
        # Editors and `echo` end a file with a new line, which is no part of the secret.
        return path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise table.error("file", f"names {path}, which cannot be read: {reason}") from error


def _keyring(table: TomlTable, name: str, _: Path) -> str:
    try:
        # Optional: the keyring of the desktop.
        import keyring
    except ImportError as error:
        raise MissingExtra.of("keyring", "Secrets of a keyring need keyring") from error
    try:
        value = keyring.get_password(KEYRING_SERVICE, name)
    except keyring.errors.KeyringError as error:
        raise table.error("keyring", f"names {name!r}, which cannot be read: {error}") from error
    if value is None:
        raise table.error(
            "keyring",
            f"names {name!r}, which it does not have; run `keyring set {KEYRING_SERVICE} {name}`",
        )
    return str(value)
