"""Why a benchmark's figures would mean nothing."""


class BenchmarkFailed(Exception):
    """A run did not do what it measures."""
