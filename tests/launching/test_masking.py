"""Words that look like secrets are not recorded."""

from __future__ import annotations

import time

import pytest

from advisor.launching.parse.masking import mask

CASES = [
    (["./app", "--token=abc", "x"], ["./app", "--token=***", "x"]),
    (["./app", "--password", "abc"], ["./app", "--password", "***"]),
    (["./app", "password=abc"], ["./app", "password=***"]),
    (["./app", "--api-key=abc", "--apikey", "abc"], ["./app", "--api-key=***", "--apikey", "***"]),
    (["./app", "AWS_SECRET_ACCESS_KEY=abc"], ["./app", "AWS_SECRET_ACCESS_KEY=***"]),
    (["mpirun", "-x", "DB_PASSWORD=abc", "./app"], ["mpirun", "-x", "DB_PASSWORD=***", "./app"]),
    (
        ["mpiexec", "-genv", "API_TOKEN", "abc", "./app"],
        ["mpiexec", "-genv", "API_TOKEN", "***", "./app"],
    ),
    (["./app", "https://me:abc@host/x"], ["./app", "https://me:***@host/x"]),
    (
        ["./app", "https://abc@host/x", "ssh://git@host/x"],
        ["./app", "https://***@host/x", "ssh://git@host/x"],
    ),
    (["./app", "db://me:a/b@c@host/x"], ["./app", "db://me:***@host/x"]),
    (["./app", "https://host/x?sig=abc&part=2"], ["./app", "https://host/x?sig=***&part=2"]),
    (
        ["srun", "--export=API_TOKEN=abc,MODE=1", "./app"],
        ["srun", "--export=API_TOKEN=***,MODE=1", "./app"],
    ),
    (
        ["bash", "-c", "PGPASSWORD='a b' ./app --secret abc -n 2"],
        ["bash", "-c", "PGPASSWORD=*** ./app --secret *** -n 2"],
    ),
    (["curl", "-H", "Authorization: Bearer abc"], ["curl", "-H", "Authorization: ***"]),
    (["./app", '{"password": "a b", "mesh": 3}'], ["./app", '{"password": ***, "mesh": 3}']),
    (["./app", "AKIAABCDEFGHIJKLMNOP", "ghp_0123456789abcdefghij"], ["./app", "***", "***"]),
    (
        ["./app", "--encryption-key=abc", "--keys=7", "monkey=2"],
        ["./app", "--encryption-key=***", "--keys=7", "monkey=2"],
    ),
    (["sh", "-c", "run --token=abc in"], ["sh", "-c", "run --token=*** in"]),
    (
        ["./app", "-in", "tokens.txt", "--passes", "3", "author.dat"],
        ["./app", "-in", "tokens.txt", "--passes", "3", "author.dat"],
    ),
]


@pytest.mark.parametrize("words, expected", CASES, ids=[" ".join(case[0]) for case in CASES])
def test_mask(words, expected):
    assert list(mask(words)) == expected


def test_what_the_shell_put_in_place_of_a_variable_is_masked():
    environment = {
        "DB_PASSWORD": "correct horse",
        "SSH_AUTH_SOCK": "/tmp/agent",
        "API_TOKEN": "1",
        "MESH": "fine",
    }
    assert mask(
        ["./app", "--login", "me/correct horse", "/tmp/agent", "1", "fine"], environment
    ) == ("./app", "--login", "me/***", "/tmp/agent", "1", "fine")


@pytest.mark.parametrize(
    "piece", ["a", "passw", "password", "-", "_", "key", "auth:", "eyJ", "://", ":@", "'", "=", " "]
)
def test_long_words_take_no_time(piece):
    """A hundred thousand letters: less than a minute would be a lot."""
    begun = time.process_time()
    mask([piece * (100_000 // len(piece))])
    assert time.process_time() - begun < 20, "seconds"
