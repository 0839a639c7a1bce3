"""`advisor rules list | explain | check | new | schema`: the rule book, for those who read it and those who add to it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import List, Mapping, Optional, Sequence

from advisor import places

EXAMPLES = """examples:
  advisor rules list                          all rules, by the question that they answer
  advisor rules explain threads-share-cores   one rule as a page: why, limits, remedies, when it hurts
  advisor rules check                         lint and cases of our rules and of those in ADVISOR_RULES
  advisor rules check ~/rules                 the same with a folder of your own after ours
  advisor rules new slow-disk --folder io     a template with comments
"""


def add(subparsers: argparse._SubParsersAction) -> None:
    """Add the command and its parts to the parser."""
    form = argparse.RawDescriptionHelpFormatter
    parser = subparsers.add_parser("rules", help="list, explain, check and add rules", epilog=EXAMPLES, formatter_class=form)
    parser.add_argument("--rules", action="append", default=[], metavar="FOLDER", help="a further rule folder; also ADVISOR_RULES")
    parts = parser.add_subparsers(metavar="list|explain|check|new|schema", required=True)
    part = parts.add_parser("list", help="all rules")
    part.add_argument("--json", action="store_true", help="for programs")
    part.set_defaults(run=run, part=_list)
    part = parts.add_parser("explain", help="one rule as a page")
    part.add_argument("id")
    part.set_defaults(run=run, part=_explain)
    part = parts.add_parser("check", help="look for mistakes and run the cases")
    part.add_argument("folders", nargs="*", metavar="FOLDER", help="folders that come after ours")
    part.set_defaults(run=run, part=_check)
    part = parts.add_parser("new", help="write a template")
    part.add_argument("id")
    part.add_argument("--folder", default="balance", help="the question that it answers, e.g. placement; beside the rule folder given last")
    part.set_defaults(run=run, part=_new)
    part = parts.add_parser("schema", help="print the JSON schema of rule files")
    part.set_defaults(run=run, part=_schema)


def run(arguments: argparse.Namespace) -> int:
    """Run the part that was asked for."""
    return arguments.part(arguments)


def rule_folders(extra: Sequence[str] = (), environment: Mapping[str, str] = os.environ) -> List[Path]:
    """Our rule book, then the folders in ADVISOR_RULES, then those given on the command line."""
    site = filter(None, environment.get("ADVISOR_RULES", "").split(os.pathsep))
    return list(dict.fromkeys([places.rules(), *map(Path, site), *map(Path, extra)]))


def vocabulary() -> Optional[Mapping[str, str]]:
    """table.column → unit of every measure."""
    import advisor.analysis  # noqa: F401 - declares the metrics
    from advisor.analysis.metric import METRICS

    return {key: metric.unit for key, metric in METRICS.items()}


def _list(arguments: argparse.Namespace) -> int:
    from advisor.advice import load_rules
    from advisor.advice.pages import as_json, as_list

    rules = load_rules(rule_folders(arguments.rules))
    print(as_json(rules) if arguments.json else as_list(rules))
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    from advisor.advice import load_rules
    from advisor.advice.pages import explain

    print(explain(load_rules(rule_folders(arguments.rules)), arguments.id))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from advisor.advice import read_rules
    from advisor.advice.check import check, summary

    book = read_rules(rule_folders([*arguments.rules, *arguments.folders]))
    mistakes = check(book, vocabulary())
    print("\n".join([*map(str, mistakes), summary(book, mistakes)]))
    return 1 if mistakes else 0


def _new(arguments: argparse.Namespace) -> int:
    from advisor.advice.template import write_template

    print(f"written: {write_template(rule_folders(arguments.rules)[-1], arguments.folder, arguments.id)}")
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    from advisor.advice.schema import schema_text

    print(schema_text(), end="")
    return 0
