"""What a run meets, as lines on standard error: `-v` and `--log-format` of every command."""

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

import click

FORMATS = ("text", "json")
_PACKAGE, _CLIENT = "es_simhash", "elastic_transport.transport"
# What `logging` itself gives each record; the rest are fields of the line.
_OWN = {*vars(logging.makeLogRecord({})), "message", "asctime"}


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object: time, level, logger, message and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        time = datetime.fromtimestamp(record.created, timezone.utc)
        fields = {name: value for name, value in vars(record).items() if name not in _OWN}
        line = {
            "time": time.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **fields,
        }
        return json.dumps(line, ensure_ascii=False, default=str)


def logging_options(*, hidden: bool) -> list[click.Option]:
    """Return `-v` and `--log-format`; hidden where help of another command lists them."""
    return [
        click.Option(
            ["-v", "--verbose"],
            count=True,
            hidden=hidden,
            help="Log retries, waits and conflicts to standard error; twice: requests as well. "
            "Every command has this option and the next.",
        ),
        click.Option(
            ["--log-format"],
            type=click.Choice(FORMATS),
            hidden=hidden,
            help="Log as text or as JSON, one object a line; implies -v.",
        ),
    ]


@contextmanager
def logged(options: Mapping[str, Any]) -> Iterator[None]:
    """Log what happens in the block, as the options of a command and those before its name say.

    Args:
        options: Values of the options of the command.
    """
    context = click.get_current_context(silent=True)
    before = {} if context is None else context.find_root().params
    format = options.get("log_format") or before.get("log_format")
    verbose = (options.get("verbose") or 0) + (before.get("verbose") or 0) or int(bool(format))
    if not verbose:
        yield
        return
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if format == "json" else plain)
    levels = {_PACKAGE: logging.DEBUG if verbose > 1 else logging.INFO}
    if verbose > 1:
        levels[_CLIENT] = logging.INFO
    known = [(logging.getLogger(name), level) for name, level in levels.items()]
    previous = [(logger, logger.level, logger.propagate) for logger, _ in known]
    for logger, level in known:
        logger.addHandler(handler)
        logger.setLevel(level)
        # Else what a run prints of warnings anyway would come twice.
        logger.propagate = False
    try:
        yield
    finally:
        for logger, level, propagates in previous:
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagates
