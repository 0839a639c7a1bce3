"""`advisor completion SHELL`: prints a completion script for bash or zsh."""

from __future__ import annotations

import argparse
from typing import Dict, List

EXAMPLES = """examples:
  source <(advisor completion bash)
  advisor completion zsh > ~/.zfunc/_advisor
"""

_BASH = """_advisor() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} index
    for ((index = 1; index < COMP_CWORD; index++)); do
        [[ ${{COMP_WORDS[index]}} == -- ]] || continue
        _command_offset $((index + 1)) 2>/dev/null
        return
    done
    if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W "{commands}" -- "$word")); return; fi
    case $command in
{cases}
    esac
}}
complete -o default -o bashdefault -F _advisor advisor
"""


def add(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for bash or zsh",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=("bash", "zsh"), help="whose script to print")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script to standard output."""
    from advisor import cli

    if arguments.shell == "zsh":
        print("#compdef advisor\nautoload -U +X bashcompinit && bashcompinit")
    print(script(_options(cli.parser())), end="")
    return 0


def script(options: Dict[str, List[str]]) -> str:
    """The bash script for commands and their options."""
    cases = "\n".join(
        f'        {command}) [[ $word == -* ]] && COMPREPLY=($(compgen -W "{" ".join(words)}" --'
        ' "$word")) ;;'
        for command, words in options.items()
    )
    return _BASH.format(commands=" ".join(options), cases=cases)


def _options(parser: argparse.ArgumentParser) -> Dict[str, List[str]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {
                name: sorted(sub._option_string_actions) for name, sub in action.choices.items()
            }
    return {}
