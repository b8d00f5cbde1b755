#!/usr/bin/env bash
# Cleans a lake that grows: scores what is new or changed since the last run. For cron, or a task of any
# scheduler. Safe to run again at any time, also after a kill.
#
#   nightly.sh TRUSTED POOL OUT [option of spuna clean]...
#
# The first run fits a model, which is kept beside OUT. Ends with
#   0  OUT is complete
#   4  OUT is complete but for files that could not be read; they are tried again the next time
#   6  try again later: another run works on OUT, or the store does not answer
#   5  POOL has no files
#   1, 2, 3  an error; OUT is as far as it got, and has no _SUCCESS if anything was changed
# SPUNA names another program; NOTIFY a command that takes a message on its standard input (a mailer, a chat).
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: nightly.sh TRUSTED POOL OUT [option of spuna clean]..." >&2
  exit 2
fi
trusted=$1 pool=$2 out=$3
shift 3
spuna=${SPUNA:-spuna}
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# Prints a message and hands it on.
notify() {
  echo "nightly: $*"
  if [ -n "${NOTIFY:-}" ]; then
    echo "spuna on $out: $*" | $NOTIFY || echo "nightly: NOTIFY failed" >&2
  fi
}

code=0
"$spuna" clean --trusted "$trusted" --pool "$pool" --out "$out" --on-bad-file skip "$@" >"$said" || code=$?
cat "$said"

case $code in
  0) ;;
  4) notify "some files could not be read; they are listed above and tried again next time" ;;
  6) echo "nightly: the store or another run is busy; try again later" ;;
  5) notify "no files to read in $pool" ;;
  130) echo "nightly: interrupted; the next run resumes" ;;
  *) notify "failed with exit code $code" ;;
esac
# The model has grown old: a person decides, since a refit scores the whole lake again.
if refit=$(grep '^refit' "$said"); then
  notify "$refit"
fi
exit "$code"
