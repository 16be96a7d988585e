# shellcheck shell=bash
# What quickstart and check share; they source it in the root of the project.

# Installs packages, configures and builds the preset dev, all quietly.
set_up() {
  utils/install-deps
  mkdir -p build
  configure
  build
}

configure() {
  local log=build/configure.log
  echo "Configuring build"
  if ! cmake --preset dev >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

# Prints a line for each tenth of the build; on failure all that was printed by
# commands that failed.
build() {
  local log=build/build.log line done_steps all_steps tenths shown=-1
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
  done < <(NINJA_STATUS='[%f/%t] ' cmake --build --preset dev 2>&1 ||
    echo "build failed")
  if [[ $(tail -n 1 "$log") == "build failed" ]]; then
    sed -n '/^FAILED:/,$p' "$log" | grep -v '^\[[0-9]*/[0-9]*\] ' >&2
    return 1
  fi
}
