"""What was verified before: of this result, and at this site."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Sequence, Tuple

from advisor.cli.messages import complain
from advisor.model.errors import UserError
from advisor.model.profile import Profile
from advisor.model.verified import Evidence, Verified
from advisor.verifying import evidence, record


def folder_of(profile: Profile) -> Optional[Path]:
    """The result folder that a profile was read from; None if it is a file elsewhere."""
    source = Path(profile.source)
    return source.parent if profile.source and source.name == "profile" else None


def verified_of(profile: Profile) -> Tuple[Verified, ...]:
    """What is in verified.json beside the profile. A damaged one is said, and hides nothing
    else."""
    folder = folder_of(profile)
    try:
        return record.read(folder) if folder else ()
    except UserError as problem:
        complain(problem)
        return ()


def evidence_for(profile: Profile, own: Sequence[Verified]) -> List[Evidence]:
    """The site's memory, then what was verified of this very result."""
    known, problem = evidence.read(evidence.place(os.environ))
    if problem:
        complain(UserError(problem))
    # What is in both is of this result.
    return [
        *(each for each in known if each.verified not in own),
        *(replace(each, own=True) for each in as_evidence(profile, own)),
    ]


def as_evidence(profile: Profile, found: Sequence[Verified]) -> List[Evidence]:
    """What was verified of a result, with what is needed to tell runs like it."""
    ranks = profile.tables.get("ranks", {})
    count = len(next(iter(ranks.values()))) if ranks else profile.run.ranks_expected
    processor = next(
        (str(node.facts["cpu"].value) for node in profile.nodes if "cpu" in node.facts), ""
    )
    return [
        Evidence(
            each,
            profile.library.name,
            profile.library.version,
            os.path.basename(profile.run.program),
            count,
            len(profile.nodes) or None,
            processor,
        )
        for each in found
    ]
