# Everything automation calls; each target makes the environment first when it is missing.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UNUSED := 'site-packages/(.*/tests|mypyc?|pip|setuptools|pkg_resources|fontTools|pygments|scipy|sklearn)/'
STAMP := $(VENV)/.installed
# Every package of tests and benchmarks, with its hashes.
LOCK := requirements-dev.txt
# What the demo and a local node need is a fifth of what tests and benchmarks do.
DEMO_STAMP := $(VENV)/.demo

# Tests start many processes, which compile the package again where it is not kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo node node-stop test test-all check clean docs docs-check lock docker-lock pictures bench bench-versions bench-speed bench-ingest bench-sources bench-guarantee bench-scale bench-mlt bench-question bench-fields bench-plan \
  bench-semantics bench-labelled-neighbours bench-semantics-speed bench-entities bench-concept-simhash bench-on-version \
  bench-backfill bench-painless bench-families bench-family bench-family-run bench-sweep bench-decisions \
  bench-passages bench-copies bench-changes bench-chains bench-widget bench-first-run bench-load bench-request-cost bench-async bench-distinct bench-outage bench-strain bench-contract \
  bench-parts-of-speech bench-peers version-weights bench-candidates bench-engines bench-schemes bench-tune \
  evaluate experiments test-spark bench-spark test-faults test-fuzz test-fuzz-guided test-soak test-mutation test-branches test-versions supply-chain sdist audit

# Installs an extra into the environment, which is made when it is missing; by a lock, when one is named.
define install
@bash scripts/install.bash '$(PYTHON)' $(VENV) $(1) $(2)
endef

$(DEMO_STAMP): pyproject.toml
	$(call install,demo)
	@touch $@

$(STAMP): pyproject.toml $(LOCK)
	$(call install,dev,$(LOCK))
	@# On all cores, and before several processes would do it; files that are no Python of this
	@# version stay as they are, and so do packages of which tests import little.
	@$(BIN)/python -m compileall -qq -j 0 -x $(UNUSED) \
	  $(VENV)/lib es_simhash scripts tests/bench tests/support || true
	@touch $(DEMO_STAMP) $@

demo: $(DEMO_STAMP)
	@url=$$($(BIN)/python -m scripts.local_node find) && \
	  $(BIN)/es-simhash demo --url "$$url" $(if $(CORPUS),--corpus '$(CORPUS)') $(if $(FIELD),--text-field '$(FIELD)')

# A local Elasticsearch, without Docker; its data stay when it stops.
node: $(DEMO_STAMP)
	@$(BIN)/python -m scripts.local_node start $(ARGS)

node-stop: $(DEMO_STAMP)
	@$(BIN)/python -m scripts.local_node stop $(ARGS)

# Tests wait for Elasticsearch half of their time; those of a file stay in one process. With
# ENGINE=opensearch (or opensearch-2, elasticsearch-8, elasticsearch-8.15) those run that need an engine, on that one
# (docs/opensearch.md).
test: $(STAMP)
	@$(if $(ENGINE),ES_SIMHASH_ENGINE='$(ENGINE)') $(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder $(ALL) $(ARGS)

# Also the groups of tests that are left out while their files do not change; records those that pass.
test-all: ALL := --all
test-all: test

# Faults between commands and a real node: nothing is lost, doubled or decided wrongly (--seed, --faults).
test-faults: $(STAMP)
	@$(BIN)/python -m tests.faults $(ARGS)

# The essentials with old and new versions of Python, packages and engines (--only, --record).
test-versions: $(STAMP)
	@$(BIN)/python -m tests.versions $(ARGS)

# The wheel built twice and compared, the bill of materials and the licences: dist/.
supply-chain: $(STAMP)
	@$(BIN)/python -m scripts.supply_chain $(ARGS)

sdist: $(STAMP)
	@$(BIN)/python -m build --sdist --outdir dist .

# Known weaknesses of the runtime dependencies that are installed; fails where the advisory service
# does not know one, as without a connection to it.
audit: supply-chain
	@$(BIN)/pip install --quiet pip-audit && \
	  $(BIN)/pip-audit --strict --no-deps --progress-spinner off -r dist/requirements.txt $(ARGS)

# Hostile texts, files and stored values, and times that grow faster than their length (--seed, --inputs).
test-fuzz: $(STAMP)
	@$(BIN)/python -m tests.fuzz $(ARGS)

# The same targets, steered by the code that they reach, each for some time (--seconds, --only). What
# steers them weighs 35 MB, so that it comes with this target alone.
ATHERIS := $(VENV)/.atheris

$(ATHERIS): $(STAMP)
	@$(BIN)/pip install --quiet 'atheris>=2.3'
	@touch $@

test-fuzz-guided: $(ATHERIS)
	@$(BIN)/python -m tests.fuzz.guided $(ARGS)

# All at once for an hour: what grows, with its slope, and a plot in dist/ (--minutes, --rate).
test-soak: $(STAMP)
	@$(BIN)/python -m tests.soak $(ARGS)

# Small changes of the arithmetic and of decisions, each of which a test has to notice (--only).
test-mutation: $(STAMP)
	@$(BIN)/python -m tests.mutation $(ARGS)

# Branches of the decisions of ingest and sweep, of their records and of undo that no test takes
# (--processes).
test-branches: $(STAMP)
	@$(BIN)/python -m tests.branches $(ARGS)

# Spark weighs 750 MB, so that it comes with these targets alone; a JDK 17 is needed.
SPARK := $(VENV)/.spark

$(SPARK): $(STAMP)
	@$(BIN)/pip install --quiet --editable '.[spark]'
	@touch $@

test-spark: $(SPARK)
	@$(BIN)/python -m pytest tests/spark $(ARGS)

# Families on Spark beside an exact scan and one process (needs the evaluation data, or ARGS="--documents 100000").
bench-spark: $(SPARK)
	@$(BIN)/python -m tests.bench.spark $(ARGS)

check: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: bench-speed bench-versions bench-semantics bench-entities bench-guarantee bench-ingest \
  bench-mlt bench-scale

# Versions found in collections whose versions are known (needs the evaluation data).
bench-versions: $(STAMP)
	@$(BIN)/python -m tests.bench.versions $(ARGS)

# Weights of the evidence of versions, fitted, and measured leaving each collection out.
version-weights: $(STAMP)
	@$(BIN)/python -m tests.bench.version_weights $(ARGS)

# Whether the best answers are among the candidates, and how long it takes (needs the data).
bench-candidates: $(STAMP)
	@$(BIN)/python -m tests.bench.candidates $(ARGS)

# Whether Elasticsearch and OpenSearch answer alike, and in which time (needs the evaluation data).
bench-engines: $(STAMP)
	@$(BIN)/python -m tests.bench.engine_answers $(ARGS)

# Fingerprints a second, beside PyPI simhash on the same texts.
bench-speed: $(STAMP)
	@$(BIN)/python -m tests.bench.speed $(ARGS)

# Ingest beside plain bulk of the same documents, and its memory.
bench-ingest: $(STAMP)
	@$(BIN)/python -m tests.bench.ingest $(ARGS)

# Ingest of CSV and Parquet beside JSON Lines.
bench-sources: $(STAMP)
	@$(BIN)/python -m tests.bench.sources $(ARGS)

# 10,000 pairs at exactly k bits through a real index.
bench-guarantee: $(STAMP)
	@$(BIN)/python -m tests.bench.guarantee $(ARGS)

# One million documents: latency and bytes of index.
bench-scale: $(STAMP)
	@$(BIN)/python -m tests.bench.scale $(ARGS)

# Beside more_like_this on one index of 200,000 documents.
bench-mlt: $(STAMP)
	@$(BIN)/python -m tests.bench.more_like_this $(ARGS)

# What a question costs in the client and in the node, by steps (needs the evaluation data, and Linux).
bench-question: $(STAMP)
	@$(BIN)/python -m tests.bench.question $(ARGS)

# What each of our fields costs the node and takes on disk (needs the evaluation data, and Linux).
bench-fields: $(STAMP)
	@$(BIN)/python -m tests.bench.field_cost $(ARGS)

# What `es-simhash plan` predicts from a sample, beside what is measured (needs the evaluation data).
bench-plan: $(STAMP)
	@$(BIN)/python -m tests.bench.plan $(ARGS)

# Semantic neighbours against human judgements, topics and events (needs the evaluation data).
bench-semantics: $(STAMP)
	@$(BIN)/python -m tests.bench.semantics $(ARGS)

# Which share of the neighbours shown a reader called useful (needs the evaluation data).
bench-labelled-neighbours: $(STAMP)
	@$(BIN)/python -m tests.bench.labelled_neighbours $(ARGS)

# How fast semantic profiles are computed and neighbours found, on 100,000 documents.
bench-semantics-speed: $(STAMP)
	@$(BIN)/python -m tests.bench.semantics_speed $(ARGS)

# Named entities without a model (needs the evaluation data).
bench-entities: $(STAMP)
	@$(BIN)/python -m tests.bench.entities $(ARGS)

# The simhash of concepts at 16 to 256 bits, beside the exact overlap of the same concepts.
bench-concept-simhash: $(STAMP)
	@$(BIN)/python -m tests.bench.concept_simhash $(ARGS)

# Backfill beside a re-index of the same documents, and what kills leave of it.
bench-backfill: $(STAMP)
	@$(BIN)/python -m tests.bench.backfill $(ARGS)

# The ingest pipeline's script beside the Python code: differing bits, and its cost.
bench-painless: $(STAMP)
	@$(BIN)/python -m tests.bench.pipeline $(ARGS)

# A sweep of what was written since, beside 100,000 documents.
bench-sweep: $(STAMP)
	@$(BIN)/python -m tests.bench.sweep $(ARGS)

# Version families against known ones, whatever the order and the writers (needs the data).
bench-families: $(STAMP)
	@$(BIN)/python -m tests.bench.families $(ARGS)

# What a run of families over all documents costs, also killed three times, and the ones after it.
bench-family-run: $(STAMP)
	@$(BIN)/python -m tests.bench.family_run $(ARGS)

# How long one family takes to be shown, by its size.
bench-family: $(STAMP)
	@$(BIN)/python -m tests.bench.family $(ARGS)

# What the HTTP service answers at ten times the load that it can bear, from its cache, and with
# two workers (needs the evaluation data).
bench-load: $(STAMP)
	@$(BIN)/python -m tests.bench.service_load $(ARGS)

# Questions asked at once without waiting, beside a client that waits in threads.
bench-async: $(STAMP)
	@$(BIN)/python -m tests.bench.async_questions $(ARGS)

# Hits of one retrieval without those that repeat others, and what would be lost with them.
bench-distinct: $(STAMP)
	@$(BIN)/python -m tests.bench.distinct $(ARGS)

# What the HTTP service answers while Elasticsearch is killed and started again.
bench-outage: $(STAMP)
	@$(BIN)/python -m tests.bench.service_outage $(ARGS)

# How fast light requests are while others ask the HTTP service for heavy work and go away.
bench-strain: $(STAMP)
	@$(BIN)/python -m tests.bench.service_strain $(ARGS)

# Requests made of the OpenAPI document of the HTTP service, and what all checks of Schemathesis find.
bench-contract: $(STAMP)
	@$(BIN)/python -m tests.bench.service_contract $(ARGS)

# Shared passages, aligned and found through an index (needs the data).
bench-passages: $(STAMP)
	@$(BIN)/python -m tests.bench.passages $(ARGS)

# What our requests cost a node with little heap: breakers, threads, rejections (--documents, --heap).
bench-request-cost: $(STAMP)
	@$(BIN)/python -m tests.bench.request_cost $(ARGS)

# Who copied whom over a whole index: what is found, in which place and time (needs the data).
bench-copies: $(STAMP)
	@$(BIN)/python -m tests.bench.copies $(ARGS)

# What changed between versions: completeness, words marked, moves, and time (needs the data).
bench-changes: $(STAMP)
	@$(BIN)/python -m tests.bench.changes $(ARGS)

# Versions listed by date, where their chains are known (needs the data).
bench-chains: $(STAMP)
	@$(BIN)/python -m tests.bench.chains $(ARGS)

# How soon a fresh clone, and a wheel, show versions of one's own documents in a browser's page.
bench-first-run: $(STAMP)
	@$(BIN)/python -m tests.bench.first_run $(ARGS)

# Size of the widget, and how soon it shows an answer (needs Chromium).
bench-widget: $(STAMP)
	@$(BIN)/python -m tests.bench.widget $(ARGS)

# De-duplication at ingest beside plain bulk of the same documents.
bench-on-version: $(STAMP)
	@$(BIN)/python -m tests.bench.on_version $(ARGS)

# What de-duplication at ingest decides on known versions (needs the data).
bench-decisions: $(STAMP)
	@$(BIN)/python -m tests.bench.decisions $(ARGS)

# Thresholds that `tune` proposes for collections with known versions (needs the data).
bench-tune: $(STAMP)
	@$(BIN)/python -m tests.bench.tune $(ARGS)

# Every method on every set of known versions, at cuts chosen on the other sets (needs the data).
evaluate: $(STAMP)
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.bench.evaluate $(ARGS)

# The experiments of the write-ups that the methods come from; ARGS names some of them.
experiments: $(STAMP)
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.bench.experiments.run $(ARGS)

# How often the parts of speech of the weighted simhash are right (needs the data).
bench-parts-of-speech: $(STAMP)
	@$(BIN)/python -m tests.bench.parts_of_speech

# What the fingerprints of methods cost in an index, and what is found by them.
bench-schemes: $(STAMP)
	@$(BIN)/python -m tests.bench.schemes $(ARGS)

# Other tools that find versions, in one run (needs the data and the extra `peers`).
bench-peers: $(STAMP)
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.bench.peers.run $(ARGS)

# Packages of the environment with their hashes: the newest that fit pyproject.toml.
lock: $(STAMP)
	@$(BIN)/python -m scripts.lock_environment

# Packages of the images with their hashes: the newest that fit pyproject.toml.
docker-lock: $(STAMP)
	@$(BIN)/python -m scripts.lock_images

# The pictures of the documentation, from the demo in Chromium: look at them.
pictures: $(STAMP)
	@$(BIN)/python -m scripts.take_pictures

# The reference of the command line, made of --help, and the site with that of Python.
docs: $(STAMP)
	@$(BIN)/python -m tests.support.cli_reference
	@$(BIN)/python -m scripts.build_site

# Every link leads somewhere, and every figure is that of docs/figures.json (ARGS=--external: other hosts too).
docs-check: $(STAMP)
	@$(BIN)/python -m scripts.check_docs $(ARGS)

clean:
	rm -rf $(VENV) dist build site
