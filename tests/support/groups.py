"""The groups of tests that are left out while nothing changes that can break them.

None has a test that decides whether the core is correct (relations, ingestion, questions, stores),
but for those that start an OpenSearch beside the engine of all others, for those of a second and
more beside which shorter ones always run, and for all but the first parameters of tests that have
many.
"""

from tests.support.grouped_tests import Group

# What is in a wheel, and what starts an engine.
_PACKAGE = ("es_simhash/*", "mappings/*", "ingest/*", "widget/*", "hatch_build.py", "scripts/*")
# The pages, and what they show, name or have typed.
_PAGES = (*_PACKAGE, "*.md", "docs/*", "mkdocs.yml", "examples/*", "docker/*", "LICENSE", "NOTICE")

GROUPS = {
    "browser": Group(
        tests=("tests/widget", "tests/service/explorer/test_explorer_browser.py"),
        # That of the widget is a copy of it.
        files=(*_PACKAGE, "LICENSE"),
    ),
    "site": Group(tests=("tests/test_site.py", "tests/test_api_reference.py"), files=_PAGES),
    "typed pages": Group(
        tests=(
            "tests/test_readme_typed.py",
            "tests/test_tutorials.py",
            "tests/test_how_to.py",
            "tests/test_pages_typed.py",
        ),
        # The clone of the README runs one file of tests.
        files=(*_PAGES, "tests/text/test_tokens.py"),
    ),
    "examples": Group(tests=("tests/examples",), files=(*_PACKAGE, "examples/*")),
    "installations": Group(
        tests=(
            "tests/test_install_lines.py",
            "tests/test_wheel_without_lab.py",
            "tests/scripts/test_supply_chain.py",
            "tests/docker/test_images.py",
            "tests/service/test_generated_clients.py",
        ),
        # The wheel runs tests of texts and fingerprints.
        files=(
            *_PAGES,
            ".dockerignore",
            ".github/*",
            "tests/test_readme_typed.py",
            "tests/text/*",
            "tests/fingerprints/*",
            "tests/service/clients/*",
        ),
    ),
    # With security, of another release, or an OpenSearch beside the engine of the other tests.
    "second nodes": Group(
        tests=(
            "tests/cli/test_privileges.py",
            "tests/cli/test_document_security.py",
            "tests/scripts/test_local_node.py",
            "tests/store/test_pipeline.py",
            "tests/store/opensearch/test_own_client.py",
            "tests/questions/test_two_engines.py",
        ),
        files=(
            *_PACKAGE,
            "docs/privileges.md",
            "docs/pipeline.md",
            "tests/cli/conftest.py",
            "tests/bench/*.py",
        ),
        skips=("make test ENGINE=opensearch-2",),
    ),
    # The core never imports it.
    "lab": Group(
        tests=(
            "tests/lab",
            "tests/cli/test_evaluate_command.py",
            "tests/cli/test_label_command.py",
            "tests/cli/test_label_explorer.py",
            "tests/cli/test_label_terminal.py",
            "tests/cli/test_method_comparison.py",
            "tests/cli/test_tune_command.py",
            "tests/service/explorer/test_label_pages.py",
        ),
        files=(
            *_PACKAGE,
            "tests/cli/conftest.py",
            "tests/service/explorer/*.py",
            "tests/bench/*.py",
        ),
    ),
    "explorer and demo": Group(
        tests=(
            "tests/service/explorer/test_explorer_pages.py",
            "tests/service/explorer/test_narrowing.py",
            "tests/service/explorer/test_report_links.py",
            "tests/service/explorer/test_words.py",
            "tests/cli/test_demo_command.py",
            "tests/cli/test_demo_explorer.py",
            "tests/cli/test_plan_command.py",
            "tests/cli/test_warm_command.py",
        ),
        files=(*_PACKAGE, "docs/plan.md", "tests/cli/conftest.py", "tests/service/explorer/*.py"),
    ),
    # These commands only read.
    "diagnostics, reports and plans": Group(
        tests=(
            "tests/maintenance/diagnostics",
            "tests/maintenance/reports",
            "tests/maintenance/plans",
        ),
        files=(*_PACKAGE, "docs/*", "tests/bench/*.py"),
    ),
    # Of a test with many parameters the first always run. Their files have a mark, as those of long
    # tests; these are what they read and import.
    "variants and long tests": Group(
        tests=(),
        files=(
            *_PACKAGE,
            "docs/*",
            "examples/*",
            "tests/*/*.json",
            "tests/*.txt",
            "tests/*/conftest.py",
            "tests/faults/*.py",
            "tests/fuzz/*.py",
            "tests/soak/*.py",
            "tests/docker/test_images.py",
            "tests/ingestion/deduplication/test_decision_parts.py",
            "tests/test_architecture.py",
            "tests/test_mirror.py",
            "tests/bench/*.py",
        ),
        is_marked=True,
    ),
    "peers and experiments": Group(
        tests=("tests/peers", "tests/experiments"),
        files=(*_PACKAGE, "docs/*", "tests/bench/*"),
        skips=("pip install 'es-simhash[peers]'",),
    ),
}
