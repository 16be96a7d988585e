#!/bin/sh
# Runs the pipeline in the first line of a file on a module: MODULE FILE.
ipu-opt "$1" --pass-pipeline="$(head -n 1 "$2")"
