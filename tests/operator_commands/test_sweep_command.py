"""`sweep` ends when it is asked to, in the middle of its rounds, and for nothing else."""

import signal
import time
from pathlib import Path

import pytest
from product import Product, wait_until


def _is_held_back(pid: int, number: signal.Signals) -> bool:
    """Whether a process has this signal wait until it is asked for, which it does once its rounds begin."""
    status = Path(f"/proc/{pid}/status").read_text()
    [blocked] = [line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:")]
    return bool(int(blocked, 16) >> (number - 1) & 1)


@pytest.mark.processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_sweeper_in_the_middle_of_its_rounds_ends(product: Product, number: signal.Signals) -> None:
    sweeper = product.processes["sweeper"]
    try:
        wait_until(lambda: _is_held_back(sweeper.pid, number))
        sweeper.send_signal(number)
        wait_until(lambda: sweeper.poll() is not None, seconds=10)
        assert sweeper.returncode == 0
    finally:
        product.start(product.plans["sweeper"])


@pytest.mark.processes
def test_a_sweeper_that_stands_still_again_and_again_goes_on(product: Product) -> None:
    sweeper = product.processes["sweeper"]
    wait_until(lambda: _is_held_back(sweeper.pid, signal.SIGTERM))
    for pause_seconds in (0.05, 0.3, 0.7, 1.2, 0.05, 0.6):
        sweeper.send_signal(signal.SIGSTOP)
        time.sleep(pause_seconds)
        sweeper.send_signal(signal.SIGCONT)
        time.sleep(0.2)
    time.sleep(1.5)
    assert sweeper.poll() is None
