# SPDX-License-Identifier: MIT
# Completion for fish. The options come from the programs.
function __probe_options
    set -l program (commandline -opc)[1]
    $program --print-options 2>/dev/null | string replace -r '=$' ''
end
for program in probe-run probe-report probe-config
    complete -c $program -n 'string match -q -- "--*" (commandline -ct)' -a '(__probe_options)'
end
complete -c probe-report -n __fish_use_subcommand -a '(probe-report --print-verbs 2>/dev/null)'
