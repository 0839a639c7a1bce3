#!/bin/sh
# Runs a command three times and prints the line of the smallest last number: of ten launches one or two are three times as slow throughout, wherever
# a virtual machine's host puts its cores, and one such launch in a dozen pairs hides any effect.
for launch in 1 2 3; do
    "$@" || exit
done | awk '/fastest batch/ { if (!least || $(NF - 1) + 0 < least) { least = $(NF - 1) + 0; line = $0 } } END { print line; exit !line }'
