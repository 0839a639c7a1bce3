"""Accounts of this machine by the names that a store has for them: what users are told goes to
those whom the system knows, and to nobody else."""

from __future__ import annotations

import pwd
from typing import Dict, Iterable, Mapping

from advisor.fleet.pseudonyms import Pseudonyms


def accounts(names: Iterable[str], pseudonyms: Pseudonyms) -> Mapping[str, pwd.struct_passwd]:
    """Name in the store → account. Of a store with pseudonyms, each account that the system lists
    is tried; names that nobody has are left out."""
    wanted = set(names)
    if pseudonyms.key is None:
        return {name: found for name in wanted for found in _known(name)}
    listed = {pseudonyms.name("user", each.pw_name): each for each in pwd.getpwall()}
    return {name: listed[name] for name in wanted if name in listed}


def _known(name: str) -> "list[pwd.struct_passwd]":
    try:
        return [pwd.getpwnam(name)]
    except (KeyError, ValueError):
        return []


def by_number(names: Mapping[str, pwd.struct_passwd]) -> Dict[int, str]:
    """Number of the account → name in the store."""
    return {account.pw_uid: name for name, account in names.items()}
