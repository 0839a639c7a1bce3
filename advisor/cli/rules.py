"""`advisor rules list | explain | book | check | new | schema`: reading and extending the rule
book."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import List, Tuple

from advisor.base.recorded_settings import is_recorded, prefixes
from advisor.cli.messages import complain
from advisor.cli.progress import Progress, with_progress
from advisor.cli.rule_book import produced, rule_folders, vocabulary
from advisor.model.errors import UserError

EXAMPLES = """examples:
  advisor rules list                   all rules, by the question that they answer
  advisor rules explain threads-share-cores
                                       one rule: why, limits, remedies, cautions
  advisor rules book | less            all rules on one page, with their sources
  advisor rules check                  lint and cases of all rules in use
  advisor rules check ~/rules          the same with a folder of your own
  advisor rules --rules ~/rules new network-port --kind policy --set UCX_NET_DEVICES=mlx5_0:1
                                       what your site wants set
  advisor rules --rules ~/rules new many-barriers --kind threshold
                                       other limits for a rule of the book
"""
KINDS = ("advice", "policy", "threshold")


def add(subparsers: argparse._SubParsersAction) -> None:
    """Add the command and its parts to the parser."""
    form = argparse.RawDescriptionHelpFormatter
    parser = subparsers.add_parser(
        "rules", help="list, explain, check and add rules", epilog=EXAMPLES, formatter_class=form
    )
    parser.add_argument(
        "--rules",
        action="append",
        default=[],
        metavar="FOLDER",
        help="a further rule folder; also ADVISOR_RULES",
    )
    parts = parser.add_subparsers(
        metavar="list|explain|book|check|new|schema|vocabulary", required=True
    )
    for name, help_text, part, example in (
        ("list", "all rules", _list, "list --json"),
        ("explain", "one rule as a page", _explain, "explain uneven-compute"),
        ("book", "all rules on one page, in Markdown", _book, "book > book.md"),
        ("check", "look for mistakes and run the cases", _check, "check ~/rules"),
        ("new", "write a template", _new, "new slow-disk --folder io"),
        ("schema", "print the JSON schema of rule files", _schema, "schema > rule.schema.json"),
        ("vocabulary", "every name that a rule may use", _vocabulary, "vocabulary > names.md"),
    ):
        part_parser = parts.add_parser(
            name,
            help=help_text,
            epilog=f"example:\n  advisor rules {example}\n",
            formatter_class=form,
        )
        part_parser.set_defaults(run=run, part=part)
    parts.choices["list"].add_argument("--json", action="store_true", help="for programs")
    parts.choices["explain"].add_argument(
        "id", metavar="ID", help="name of the rule, as `advisor rules list` and reports write it"
    )
    parts.choices["check"].add_argument(
        "folders", nargs="*", metavar="FOLDER", help="folders that come after ours"
    )
    _describe_new(parts.choices["new"])


def _describe_new(new: argparse.ArgumentParser) -> None:
    new.add_argument(
        "id",
        metavar="ID",
        help="small words with - between them; of thresholds: the rule that has them",
    )
    new.add_argument(
        "--kind",
        choices=KINDS,
        default="advice",
        help="advice: what saves time; policy: what the site wants set; threshold: other limits",
    )
    new.add_argument(
        "--set", metavar="NAME=VALUE", default="", help="of a policy: the variable to be set"
    )
    new.add_argument(
        "--folder",
        default="",
        help=(
            "the question that it answers, such as placement; default: balance, of a policy"
            " library, of thresholds that of the rule"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the part that was asked for."""
    return arguments.part(arguments)


def _list(arguments: argparse.Namespace) -> int:
    from advisor.advice import load_rules
    from advisor.advice.pages.rule_pages import as_json, as_list

    rules = load_rules(rule_folders(arguments.rules))
    print(as_json(rules) if arguments.json else as_list(rules))
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    from advisor.advice import load_rules
    from advisor.advice.pages.rule_pages import explain

    print(explain(load_rules(rule_folders(arguments.rules)), arguments.id))
    return 0


def _book(arguments: argparse.Namespace) -> int:
    from advisor.advice.pages.book import book
    from advisor.advice.rulebook.load import load_book

    found = load_book(rule_folders(arguments.rules))
    print(book(found.rules, found.intents))
    return 0


@with_progress("checking the rules")
def _check(arguments: argparse.Namespace, progress: Progress) -> int:
    from advisor.advice import has_files, read_rules
    from advisor.advice.checking.check import check, summary

    for folder in map(Path, (*arguments.rules, *arguments.folders)):
        if folder.is_dir() and not has_files(folder):
            raise UserError(
                f"There is no rule file in {folder}.",
                do=f"To write one: advisor rules --rules {shlex.quote(str(folder))} new NAME",
            )
    book = read_rules(rule_folders([*arguments.rules, *arguments.folders]))
    mistakes = check(book, vocabulary(), produced(), lambda part: progress.stage(0, part))
    progress.done()
    print("\n".join([*map(str, mistakes), summary(book, mistakes)]))
    return 1 if mistakes else 0


def _new(arguments: argparse.Namespace) -> int:
    from advisor.advice.rulebook.template import write_template

    folders = rule_folders(arguments.rules)
    if len(folders) == 1 and arguments.kind != "advice":
        raise UserError(
            f"A {arguments.kind} is a site's own, and the book of advisor is no place for it.",
            do=f"Name a folder of yours: advisor rules --rules FOLDER new {arguments.id} --kind"
            f" {arguments.kind}",
        )
    folder, text = _begun(arguments, folders)
    print(f"written: {write_template(folders[-1], arguments.folder or folder, arguments.id, text)}")
    if len(folders) == 1:
        print(
            "advisor: This is the book of advisor itself; the next installation replaces it.",
            file=sys.stderr,
        )
        print(
            f"advisor: For a folder of your own: advisor rules --rules FOLDER new {arguments.id}",
            file=sys.stderr,
        )
    return 0


def _begun(arguments: argparse.Namespace, folders: List[Path]) -> Tuple[str, str]:
    """(folder, text) of a new file."""
    from advisor.advice import read_rules
    from advisor.advice.pages.rule_pages import of_id
    from advisor.advice.rulebook import template

    if arguments.set and arguments.kind != "policy":
        raise UserError(
            "--set is about a policy.", do=f"Add --kind policy, or leave out --set {arguments.set}."
        )
    if arguments.kind == "policy":
        name = arguments.set.partition("=")[0]
        if name and not is_recorded(name):
            complain(
                UserError(
                    f"advisor does not record {name}: no job can meet this policy.",
                    do=f"Recorded are names that begin with {', '.join(prefixes())}, and single"
                    " ones of schedulers and GPUs.",
                )
            )
        return "library", template.policy(arguments.id, arguments.set)
    if arguments.kind == "threshold":
        rule = of_id(read_rules(folders).rules, arguments.id)
        return rule.folder, template.thresholds(rule)
    return "balance", template.template(arguments.id)


def _schema(arguments: argparse.Namespace) -> int:
    from advisor.advice.rulebook.json_schema import schema_text

    print(schema_text(), end="")
    return 0


def _vocabulary(arguments: argparse.Namespace) -> int:
    from advisor.analysis.vocabulary import vocabulary

    print(vocabulary(), end="")
    return 0
