"""How long the supervisor waits before it starts something again."""

from nekonymous_site.embedded.restart_policy import RestartDelay


def test_the_delay_doubles_from_one_second_to_thirty() -> None:
    delay = RestartDelay()
    assert [delay.after_end(lived_seconds=0.1) for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]


def test_a_minute_of_life_forgives_everything() -> None:
    delay = RestartDelay()
    for _ in range(5):
        delay.after_end(lived_seconds=59.9)
    assert delay.after_end(lived_seconds=60) == 1
    assert delay.after_end(lived_seconds=3) == 2
