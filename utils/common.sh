# shellcheck shell=bash
# Functions for quickstart and check, which source this file in the root of the project.

# set_up PRESET DIRECTORY [TARGET...]
#
# Installs packages, configures the preset, whose directory is DIRECTORY, and
# builds the targets, or everything if there are none. Prints little output.
set_up() {
  local preset=$1 directory=$2
  shift 2
  utils/install-deps
  mkdir -p "$directory"
  configure "$preset" "$directory/configure.log"
  build "$preset" "$directory/build.log" "$@"
}

configure() {
  local preset=$1 log=$2
  echo "Configuring the preset $preset"
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

# Prints a line for each tenth of the build; on failure all that was printed by
# commands that failed.
build() {
  local preset=$1 log=$2 line done_steps all_steps tenths shown=-1
  shift 2
  echo "Building; $log has the details"
  : >"$log"
  while IFS= read -r line; do
    echo "$line" >>"$log"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      done_steps=${BASH_REMATCH[1]} all_steps=${BASH_REMATCH[2]}
      tenths=$((10 * done_steps / all_steps))
      if ((tenths > shown)); then
        echo "  $((10 * tenths)) % ($done_steps of $all_steps steps)"
        shown=$tenths
      fi
    fi
  done < <(NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" \
    ${1:+--target "$@"} 2>&1 || echo "build failed")
  if [[ $(tail -n 1 "$log") == "build failed" ]]; then
    sed -n '/^FAILED:/,$p' "$log" | grep -v '^\[[0-9]*/[0-9]*\] ' >&2
    return 1
  fi
}
