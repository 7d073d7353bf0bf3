"""The rooms of the package, and in which direction they import; drawn in docs/architecture.md."""

import ast
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import es_simhash

FOLDER = Path(es_simhash.__file__).parent
# A room imports only from itself and from the rooms before it.
ROOMS = (
    "errors",
    "constraints",
    "heaps",
    "described",
    "frames",
    "text",
    "pages",
    "fingerprints",
    "semantics",
    "relation",
    "differences",
    "pairs",
    "store",
    "questions",
    "ingestion",
    "maintenance",
    "index",
    "types",
    "lab",
    "methods",
    "evaluation",
    "tuning",
    "integrations",
    "spark",
    "service",
    "cli",
)
CLIENT = {"elasticsearch", "elastic_transport"}
MAX_LEVELS = 12
MAX_FILES_AT_THE_TOP = 12
MAX_PARAMETERS = 6
MODULES = {
    module.name: path
    for module in pkgutil.walk_packages([str(FOLDER)], "es_simhash.")
    for path in [FOLDER.joinpath(*module.name.split(".")[1:])]
    if not module.name.startswith("es_simhash._cluster") and module.name != "es_simhash.__main__"
}


def source_of(module: str) -> Path:
    path = MODULES[module]
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(source_of(module).read_text("utf-8"))


def room_of(module: str) -> str:
    """Return the room of a module: the longest name in the list that its own begins with."""
    inner = module.removeprefix("es_simhash.")
    rooms = [room for room in ROOMS if f"{inner}.".startswith(f"{room}.")]
    return max(rooms, key=len, default=inner)


@cache
def nodes_of(module: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(module)))


def is_typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


@cache
def imports_of(module: str, *, at_run_time: bool = False) -> tuple[str, ...]:
    """Return the modules that a module imports, wherever in it the import is."""
    return tuple(_imports_of(module, at_run_time))


def _imports_of(module: str, at_run_time: bool) -> Iterator[str]:
    skipped = {
        id(inner)
        for node in nodes_of(module)
        if at_run_time and is_typing_only(node)
        for inner in ast.walk(node)
    }
    for node in nodes_of(module):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def own_imports_of(module: str) -> set[str]:
    return {name for name in imports_of(module) if name in MODULES and name != module}


def test_every_module_is_in_a_room() -> None:
    assert {room_of(module) for module in MODULES} == set(ROOMS)


def test_a_module_imports_only_from_its_room_and_those_before_it() -> None:
    upward = [
        f"{module} imports {name}"
        for module in MODULES
        for name in own_imports_of(module)
        if ROOMS.index(room_of(name)) > ROOMS.index(room_of(module))
    ]
    assert upward == []


def test_the_core_leaves_the_lab_to_one_loader() -> None:
    core = ROOMS[: ROOMS.index("lab")]
    naming = [
        module
        for module in MODULES
        if room_of(module) in core and "es_simhash.lab" in source_of(module).read_text("utf-8")
    ]
    assert naming == ["es_simhash.store.indexed_methods"]


def test_no_module_imports_the_public_face() -> None:
    assert [module for module in MODULES if "es_simhash" in imports_of(module)] == []


def test_only_the_store_imports_the_client() -> None:
    importing = {
        room_of(module)
        for module in MODULES
        for name in imports_of(module, at_run_time=True)
        if name.split(".")[0] in CLIENT
    }
    assert importing == {"store"}


def test_nothing_imports_spark_but_its_own_room() -> None:
    importing = {
        room_of(module)
        for module in MODULES
        for name in imports_of(module)
        if name.split(".")[0] == "pyspark" or room_of(name) == "spark"
    }
    assert importing == {"spark"}


def test_libraries_of_tables_are_imported_where_they_are_used() -> None:
    # They are extras, and take long: a module that is imported for something else needs none.
    libraries = {"pyarrow", "pandas", "polars", "xlsxwriter", "fsspec", "pypdf", "zstandard"}
    importing = {
        room_of(module)
        for module in MODULES
        for node in tree_of(module).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in [getattr(node, "module", None) or node.names[0].name]
        if name.split(".")[0] in libraries
    }
    assert importing <= {"spark"}


def levels() -> dict[str, int]:
    """Return the level of each module: one more than the highest that it imports.

    Raises:
        AssertionError: Modules import each other in a circle.
    """
    known: dict[str, int] = {}

    def level(module: str, above: tuple[str, ...]) -> int:
        assert module not in above, f"circle: {' -> '.join([*above, module])}"
        if module not in known:
            lower = own_imports_of(module)
            known[module] = 1 + max((level(name, (*above, module)) for name in lower), default=0)
        return known[module]

    return {module: level(module, ()) for module in MODULES}


def test_modules_import_each_other_in_no_circle_and_few_levels() -> None:
    assert max(levels().values()) <= MAX_LEVELS


def test_few_files_stand_at_the_top() -> None:
    assert len(list(FOLDER.glob("*.py"))) <= MAX_FILES_AT_THE_TOP


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [argument.arg for argument in arguments if argument.arg not in ("self", "cls")]


def test_no_function_but_commands_takes_more_than_six_parameters() -> None:
    long = [
        f"{module}.{node.name}"
        for module in MODULES
        if room_of(module) != "cli"
        for node in nodes_of(module)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and len(parameters_of(node)) > MAX_PARAMETERS
    ]
    assert long == []


def constants_of(module: str) -> Iterator[tuple[str, str]]:
    """Yield the constants a module defines at its top, each with its value as code."""
    for node in tree_of(module).body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for name in names:
                if isinstance(name, ast.Name) and name.id.strip("_").isupper():
                    yield name.id.strip("_"), ast.unparse(node.value)


def test_no_two_modules_define_the_same_constant() -> None:
    places: dict[tuple[str, str], list[str]] = {}
    for module in MODULES:
        for name, value in constants_of(module):
            places.setdefault((name, value), []).append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_the_thresholds_of_relations_and_families_are_in_one_module() -> None:
    assert "VERSION_SCORE" in dict(constants_of("es_simhash.relation.thresholds"))
    scores = [
        (module, name)
        for module in MODULES
        if module != "es_simhash.relation.thresholds"
        for name, _ in constants_of(module)
        if name.endswith(("_SCORE", "_COVERAGE", "_COSINE"))
    ]
    # Names of fields, and weights of other things, are no thresholds.
    assert [name for _, name in scores if name not in ("DUPLICATE_SCORE",)] == []


def test_a_package_has_no_code_of_its_own() -> None:
    packages = [module for module in MODULES if MODULES[module].is_dir()]
    assert [name for name in packages if len(tree_of(name).body) > 1] == ["es_simhash.cli"]


# Keys of queries, of what searches ask for, and of hits; the user's own filters are passed on.
QUERY_WORDS = {
    "bool", "match_all", "minimum_should_match", "must_not", "term", "terms", "exists", "ids",
    "knn", "_source", "docvalue_fields", "track_total_hits", "search_after", "aggs", "aggregations",
    "function_score", "constant_score", "seq_no_primary_term", "_seq_no", "_primary_term",
}  # fmt: skip


def query_words_of(module: str) -> Iterator[str]:
    """Yield the words of queries and hits that a module uses as keys."""
    for node in nodes_of(module):
        keys: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            keys = list(node.keys)
        elif isinstance(node, ast.Subscript):
            keys = [node.slice]
        for key in keys:
            if isinstance(key, ast.Constant) and key.value in QUERY_WORDS:
                yield str(key.value)


def test_only_the_store_knows_queries_and_hits() -> None:
    assert {
        module: words
        for module in MODULES
        if room_of(module) != "store" and (words := sorted(set(query_words_of(module))))
    } == {}
