# SPDX-License-Identifier: MIT
probe_unit_tests(common LIBRARIES probe_common)
