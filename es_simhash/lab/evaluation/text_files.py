"""Texts from JSONL files, by their ids."""

import json
from collections.abc import Sequence
from pathlib import Path

from es_simhash.errors import InputError


def read_texts(paths: Sequence[Path]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the texts of files by their ids, and one sentence for each line left out.

    Args:
        paths: Files of one JSON object a line, with `id` and `text`.

    Raises:
        InputError: A file cannot be read, or has no text.
    """
    texts: dict[str, str] = {}
    problems: list[str] = []
    for path in paths:
        before = len(texts)
        try:
            with path.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    problem = _taken(line, texts) if line.strip() else ""
                    if problem:
                        problems.append(f"File {str(path)!r}, line {number}: {problem}")
        except OSError as error:
            raise InputError(
                f"File {str(path)!r} cannot be read: {error.strerror}. Check the path."
            ) from error
        if len(texts) == before:
            raise InputError(
                problems[-1] if problems else f"File {str(path)!r} is empty. Name another file."
            )
    return texts, tuple(problems)


def _taken(line: bytes, texts: dict[str, str]) -> str:
    """Keep the text of a line, or return what is wrong with it."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "is not valid JSON. Write one object a line."
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return 'has no text. Write {"id": "a", "text": "..."}.'
    id = value.get("id")
    if isinstance(id, bool) or not isinstance(id, (str, int)) or id == "":
        return 'has no id. Write {"id": "a", "text": "..."}.'
    if texts.setdefault(str(id), value["text"]) != value["text"]:
        return f"document {str(id)!r} has another text before. Give each document one text."
    return ""
