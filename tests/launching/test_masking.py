"""Words that look like secrets are not recorded."""

from __future__ import annotations

import pytest

from advisor.launching.masking import mask

CASES = [
    (["./app", "--token=abc", "x"], ["./app", "--token=***", "x"]),
    (["./app", "--password", "abc"], ["./app", "--password", "***"]),
    (["./app", "password=abc"], ["./app", "password=***"]),
    (["./app", "--api-key=abc", "--apikey", "abc"], ["./app", "--api-key=***", "--apikey", "***"]),
    (["./app", "AWS_SECRET_ACCESS_KEY=abc"], ["./app", "AWS_SECRET_ACCESS_KEY=***"]),
    (["mpirun", "-x", "DB_PASSWORD=abc", "./app"], ["mpirun", "-x", "DB_PASSWORD=***", "./app"]),
    (["mpiexec", "-genv", "API_TOKEN", "abc", "./app"], ["mpiexec", "-genv", "API_TOKEN", "***", "./app"]),
    (["./app", "https://me:abc@host/x"], ["./app", "https://me:***@host/x"]),
    (["sh", "-c", "run --token=abc in"], ["sh", "-c", "run --token=*** in"]),
    (["./app", "-in", "tokens.txt", "--passes", "3", "author.dat"], ["./app", "-in", "tokens.txt", "--passes", "3", "author.dat"]),
]


@pytest.mark.parametrize("words, expected", CASES, ids=[" ".join(case[0]) for case in CASES])
def test_mask(words, expected):
    assert list(mask(words)) == expected
