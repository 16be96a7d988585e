#!/bin/sh
# Interesting (exit status 1) is a program with a pop.exp.
if grep -q pop.exp "$1"; then exit 1; fi
