#!/usr/bin/env bash
# Makes an environment, and installs this package with an extra into it:
#
#     scripts/install.bash PYTHON FOLDER EXTRA [LOCK]
#
# With a lock, every package has the version that it names, and is compared with its hash. Where the
# lock does not fit, as on a platform for which a version has no files, the newest packages that
# pyproject.toml allows are installed, with a notice; a file that has another hash ends it.
# uv installs what pip would, from the same index, in a third of the time; without uv, pip does.
set -euo pipefail
python=$1 bin=$2/bin extra=$3 lock=${4:-}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  { echo "Python 3.10 or newer is needed; name one, as in: make PYTHON=python3.11"; exit 1; }
"$python" -m venv "$2" ||
  { echo "Python cannot make environments; install python3-venv, then run make again."; exit 1; }
index=${PIP_INDEX_URL:-$("$bin/pip" config get global.index-url 2>/dev/null || true)}
[[ -z $index ]] || export UV_DEFAULT_INDEX=$index
uv=("$bin/uv" pip install --quiet --python "$bin/python")
pip=("$bin/pip" install --quiet --no-compile)

# The lines of uv in the lock: its version, and its hashes below.
locked_uv() { sed -n '/^uv==/,/[^\\]$/p' "$lock"; }

install_uv() {
  grep -q '^uv==' "$lock" && "${pip[@]}" --require-hashes --no-deps --requirement <(locked_uv)
}

install_locked() {
  if install_uv; then
    # Also what builds a package that has no wheel is locked.
    "${uv[@]}" --require-hashes --requirement "$lock" --build-constraints "$lock" || return
    "${uv[@]}" --no-deps --no-build-isolation --editable .
  else
    "${pip[@]}" --require-hashes --requirement "$lock" || return
    "${pip[@]}" --no-deps --no-build-isolation --editable .
  fi
}

install_newest() {
  { "${pip[@]}" uv && "${uv[@]}" --upgrade-package pip pip --editable ".[$extra]"; } ||
    "${pip[@]}" --upgrade pip --editable ".[$extra]"
}

if [[ -n $lock ]]; then
  said=$(mktemp)
  trap 'rm -f "$said"' EXIT
  install_locked 2>"$said" && exit
  cat "$said" >&2
  if grep -qiE 'hash mismatch|do not match the hashes' "$said"; then
    echo "A package is not the one that $lock names. Nothing else is installed in its place." >&2
    exit 1
  fi
  echo "$lock does not fit this Python or platform: installing the newest packages." >&2
fi
install_newest
