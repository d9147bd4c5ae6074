# SPDX-License-Identifier: MIT
probe-run -q -- sh -c "echo \$0 \$1" --help -q
