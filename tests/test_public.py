"""What the package shows, and in which direction its modules import."""

import ast
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import es_simhash
from es_simhash import evaluation, methods, tuning, types
from tests.test_architecture import MODULES as ARCHITECTURE
from tests.test_architecture import tree_of

FOLDER = Path(es_simhash.__file__).parent
# What the modules need that not every environment of tests has; `make test-spark` installs PySpark.
PACKAGES = {
    "es_simhash.spark.": "pyspark",
    "es_simhash.integrations.haystack": "haystack",
    "es_simhash.integrations.langchain": "langchain_core",
    "es_simhash.integrations.llama_index": "llama_index",
}
MISSING = tuple(
    module for module, package in PACKAGES.items() if importlib.util.find_spec(package) is None
)
MODULES = sorted(
    each.name
    for each in pkgutil.walk_packages([str(FOLDER)], "es_simhash.")
    if not each.name.startswith("es_simhash._cluster") and not each.name.startswith(MISSING)
)
NAMESPACES = (es_simhash, types, methods, evaluation, tuning)
CLIENT = {"elasticsearch", "elastic_transport"}


@pytest.mark.parametrize("module", NAMESPACES, ids=lambda module: module.__name__)
def test_the_public_names_are_sorted_and_there(module: ModuleType) -> None:
    assert module.__all__ == sorted(set(module.__all__))
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_a_name_is_in_one_namespace() -> None:
    names = [name for module in NAMESPACES for name in module.__all__]
    assert len(set(names)) == len(names)


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(
    "before",
    [
        "pass",
        "import es_simhash.ingestion.ingest, es_simhash.questions.index, es_simhash.fingerprints",
    ],
)
def test_public_functions_can_be_called_whatever_was_imported(before: str) -> None:
    # A module of the same name would hide the function.
    names = [each for each in es_simhash.__all__ if each[0].islower()]
    assert "compare" in names
    code = f"{before}\nfrom es_simhash import {', '.join(names)}\n"
    code += "\n".join(f"assert callable({each})" for each in names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Types that only our own code makes and reads, inside values that callers pass on as they are.
INNER = {
    "Answers", "DocumentPairs", "IncomingDocument", "Original", "Retrieval", "SchemeKey",
    "ScoredSet",
}  # fmt: skip
# A name of several things: the statuses of an outcome are strings.
ALIASES = {"Status"}


def annotations_of(definition: ast.FunctionDef | ast.ClassDef) -> Iterator[ast.expr]:
    """Yield the annotations a caller meets: parameters, results, attributes."""
    if isinstance(definition, ast.FunctionDef):
        arguments = [*definition.args.args, *definition.args.kwonlyargs]
        yield from (argument.annotation for argument in arguments if argument.annotation)
        yield from [definition.returns] if definition.returns else []
        return
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and not ast.unparse(node.target).startswith("_"):
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and (
            not node.name.startswith("_") or node.name == "__init__"
        ):
            yield from annotations_of(node)


def test_every_type_that_a_caller_meets_is_public() -> None:
    classes = {
        node.name
        for module in ARCHITECTURE
        for node in tree_of(module).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }
    public = {name: getattr(module, name) for module in NAMESPACES for name in module.__all__}
    hidden = {
        (name, word)
        for name, member in public.items()
        if hasattr(member, "__module__")
        for node in tree_of(member.__module__).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name
        for annotation in annotations_of(node)
        for word in re.findall(r"\w+", ast.unparse(annotation))
        if word in classes - set(public) - INNER - ALIASES
    }
    assert len(classes) > 100
    assert hidden == set()


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = es_simhash.no_such_name


def test_the_errors_are_one_tree() -> None:
    from es_simhash import errors

    kinds = [each for _, each in inspect.getmembers(errors, inspect.isclass)]
    assert len(kinds) > 5
    assert all(issubclass(each, es_simhash.EsSimhashError) for each in kinds)
    assert {each.__name__ for each in kinds} <= set(es_simhash.__all__)
    for each in kinds:
        assert each.__name__ in (errors.__doc__ or "")


@pytest.mark.variants
@pytest.mark.parametrize(
    "code",
    [
        "import es_simhash",
        "import es_simhash; assert es_simhash.compare('a b c', 'a b c').kind == 'exact'",
        "import es_simhash; assert es_simhash.fingerprint('a b c').document is not None",
        "from es_simhash.store.conformance import check, vectors; assert check(vectors()) == []",
        "from es_simhash.questions.memory import MemoryIndex; MemoryIndex().add('1', 'a b c')",
    ],
    ids=["import", "compare", "fingerprint", "selftest", "memory"],
)
def test_this_needs_no_client(code: str) -> None:
    code = f"import sys; {code}; assert not {CLIENT!r} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def public_members() -> Iterator[tuple[str, Any]]:
    """Every public function, class, method and property, where it is defined."""
    for module in MODULES:
        if module == "es_simhash.__main__":  # runs the command line when imported
            continue
        for name, member in vars(importlib.import_module(module)).items():
            if name.startswith("_") or getattr(member, "__module__", None) != module:
                continue
            if inspect.isfunction(member):
                yield f"{module}.{name}", member
            elif inspect.isclass(member):
                yield f"{module}.{name}", member
                for inner, method in vars(member).items():
                    if not inner.startswith("_") and isinstance(
                        method, (staticmethod, classmethod, property)
                    ):
                        yield f"{module}.{name}.{inner}", getattr(method, "fget", method)
                    elif not inner.startswith("_") and inspect.isfunction(method):
                        yield f"{module}.{name}.{inner}", method


def test_every_public_function_is_documented() -> None:
    members = dict(public_members())
    assert len(members) > 100
    bare = [
        name
        for name, member in members.items()
        if not (getattr(member, "__doc__", None) or "").strip()
    ]
    assert bare == []
    assert [module for module in MODULES if module != "es_simhash.__main__"
            and not importlib.import_module(module).__doc__] == []  # fmt: skip
