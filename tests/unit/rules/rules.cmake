# SPDX-License-Identifier: MIT
probe_unit_tests(rules LIBRARIES probe_rules)
