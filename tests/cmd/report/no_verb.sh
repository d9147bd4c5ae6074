# SPDX-License-Identifier: MIT
probe-report bogus run.db
