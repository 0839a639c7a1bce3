"""`advisor completion SHELL`: prints a completion script for bash, zsh or fish."""

from __future__ import annotations

import argparse
from typing import Iterator, List

from advisor.cli.command_tree import Command, command_tree, help_of, value_of

EXAMPLES = """examples:
  source <(advisor completion bash)
  advisor completion zsh > ~/.zfunc/_advisor
  advisor completion fish > ~/.config/fish/completions/advisor.fish
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
_ZSH = "#compdef advisor\nautoload -U +X bashcompinit && bashcompinit\n"
_FISH = """# What stands behind -- is the job's own command, and is completed as if it stood alone.
function __advisor_job
    contains -- -- (commandline -opc)
end
function __advisor_complete_job
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- $words[(math $at + 1)..-1])
end
complete -c advisor -n __advisor_job -f -a '(__advisor_complete_job)'
"""
_SEEN = "__fish_seen_subcommand_from"


def add(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for bash, zsh or fish",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="whose script to print")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script to standard output."""
    from advisor import cli

    print(script(command_tree(cli.parser()), arguments.shell), end="")
    return 0


def script(top: Command, shell: str) -> str:
    """The script of a shell for all commands and their options."""
    if shell == "fish":
        return _FISH + "".join(f"{line}\n" for line in _fish(top))
    return _ZSH + _bash(top) if shell == "zsh" else _bash(top)


def _bash(top: Command) -> str:
    cases = "\n".join(
        f"        {each.word}) [[ $word == -* ]] && "
        f'COMPREPLY=($(compgen -W "{" ".join(_options(each))}" -- "$word")) ;;'
        for each in top.parts
    )
    return _BASH.format(commands=" ".join(each.word for each in top.parts), cases=cases)


def _options(command: Command) -> List[str]:
    named = (name for action in command.options for name in action.option_strings)
    return sorted(["-h", "--help", *named])


def _fish(top: Command) -> Iterator[str]:
    for each in top.parts:
        yield _offered("__fish_use_subcommand", f"-f -a {each.word}", each.summary)
    for each in top.parts:
        here = f"not __advisor_job; and {_SEEN} {each.word}"
        parts = " ".join(part.word for part in each.parts)
        for part in each.parts:
            yield _offered(f"{here}; and not {_SEEN} {parts}", f"-f -a {part.word}", part.summary)
            yield from _fish_options(f"{here}; and {_SEEN} {part.word}", part)
        yield from _fish_options(here, each)


def _fish_options(where: str, command: Command) -> Iterator[str]:
    for action in command.options:
        names = [
            f"-l {name[2:]}" if name[:2] == "--" else f"-s {name[1:]}"
            for name in action.option_strings
        ]
        yield _offered(where, " ".join(names) + _fish_value(action), help_of(action))


def _fish_value(action: argparse.Action) -> str:
    """Behind -r a file or a folder may stand; where only certain words may, -x says so."""
    if action.choices:
        return f" -x -a {_quoted(' '.join(map(str, action.choices)))}"
    return " -r" if value_of(action) and action.nargs != "?" else ""


def _offered(where: str, what: str, about: str) -> str:
    return f"complete -c advisor -n {_quoted(where)} {what} -d {_quoted(about)}"


def _quoted(text: str) -> str:
    """A word of fish: within single quotes only these two characters mean something."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
