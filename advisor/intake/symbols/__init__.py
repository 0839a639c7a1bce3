"""Return addresses → function, file and line; only on the machine that ran the job."""
