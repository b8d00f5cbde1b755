#!/usr/bin/env bash
# Clean, look, say, clean again: two rounds of 25 looks on the shipped sample.
#
#   walk_through.sh [FOLDER]     where to write; build/review by default
#
# SPUNA names the program, PYTHON a Python with pyarrow, for answer.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sample=$here/../quickstart
folder=${1:-$here/../../build/review}
spuna=${SPUNA:-$here/../../build/release/spuna}
mkdir -p "$folder"
cd "$folder"
cp "$sample/trusted.parquet" "$sample/pool.parquet" .

run() {
  printf '\n$ spuna %s\n' "$*"
  "$spuna" "$@"
}

reviewed=()
for round in 1 2; do
  run review --trusted trusted.parquet --pool pool.parquet --rows 25 --text source \
    --out "look-$round.html" --list "look-$round.parquet" --overwrite "${reviewed[@]}"
  # In your place: open the page, mark the rows, save the file.
  "${PYTHON:-python3}" "$here/answer.py" "look-$round.parquet" pool.parquet shifted "said-$round.csv"
  reviewed+=(--reviewed "said-$round.csv")
  run clean --trusted trusted.parquet --pool pool.parquet --out cleaned.parquet --overwrite "${reviewed[@]}"
done
