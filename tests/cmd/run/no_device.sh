# SPDX-License-Identifier: MIT
rm "$PROBE"/lib/probe/sim/*
probe-run --device sim true
