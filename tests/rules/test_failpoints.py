"""A failpoint meets one process once, exactly there, and is nothing where no folder is named."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from pytest_django.fixtures import Settings

from nekonymous_site import failpoints
from nekonymous_site.environment import CHECKOUT, ConfigurationInvalid, read_environment
from nekonymous_site.failpoints import Action, Boundary, Entry, boundary_name, reach, reach_boundary
from nekonymous_site.fault_lab.armed_points import ArmedPoints
from nekonymous_site.fault_lab.failures import LabStopped

POINT = boundary_name(Entry.INTAKE, Boundary.AFTER_COMMIT)
PASSES_THREE_TIMES = f"""
import django, os
django.setup()
from nekonymous_site.failpoints import reach
for number in range(3):
    reach({POINT!r})
    print(number, flush=True)
"""


@pytest.fixture
def points(tmp_path: Path) -> ArmedPoints:
    armed = ArmedPoints(folder=tmp_path / "points")
    armed.prepare()
    return armed


def _pass_three_times(points: ArmedPoints, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PASSES_THREE_TIMES],
        env=os.environ | {"NEKO_FAILPOINTS": str(points.folder), "PYTHONPATH": str(CHECKOUT)} | environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("passes", [0, 2])
def test_a_process_dies_at_the_point_and_after_the_passes_that_were_asked_for(
    points: ArmedPoints, passes: int
) -> None:
    points.arm(POINT, Action.KILL, passes=passes)
    done = _pass_three_times(points)
    assert done.returncode == -signal.SIGKILL
    assert done.stdout.split() == [str(number) for number in range(passes)]
    assert points.await_hit(POINT) > 0
    assert _pass_three_times(points).stdout.split() == ["0", "1", "2"], "one arming, one death"


def test_a_point_that_nobody_reaches_is_told_and_taken_back(points: ArmedPoints) -> None:
    points.arm(POINT)
    with pytest.raises(LabStopped, match=r"no process reached intake\.after_commit"):
        points.await_hit(POINT, seconds=0.05)
    assert _pass_three_times(points).returncode == 0


def test_another_point_and_no_folder_are_nothing(points: ArmedPoints) -> None:
    points.arm(boundary_name(Entry.DRAIN, Boundary.AFTER_COMMIT))
    assert _pass_three_times(points).returncode == 0
    assert not failpoints.are_on()
    reach(POINT)
    reach_boundary(Entry.DRAIN, Boundary.AFTER_COMMIT)


def test_production_refuses_failpoints(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationInvalid, match="no place in production"):
        read_environment({"NEKO_ENV": "production", "NEKO_FAILPOINTS": str(tmp_path)})


def test_a_point_where_nothing_is_armed_changes_nothing(
    points: ArmedPoints, settings: Settings, request: pytest.FixtureRequest
) -> None:
    settings.NEKO = replace(django_settings.NEKO, failpoints=points.folder)
    failpoints._folder.cache_clear()
    request.addfinalizer(failpoints._folder.cache_clear)
    reach(POINT)
    assert list(points.folder.iterdir()) == []
