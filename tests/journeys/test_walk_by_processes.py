"""The same walk through real processes: web server, worker, beat and sweeper, by webhook and by polling."""

import pytest
from product import Product, wait_until

from nekonymous_site.sandbox.people import Person

pytestmark = pytest.mark.processes


@pytest.fixture(params=["product", "polling_product"])
def any_product(request: pytest.FixtureRequest) -> Product:
    found: Product = request.getfixturevalue(request.param)
    return found


def _meet(product: Product) -> tuple[Person, Person, str]:
    bob = product.sandbox.people.person("Bob", "en")
    alice = product.sandbox.people.person("آلیس", "fa")
    bob.says("/start")
    link = bob.awaits(lambda message: message.find_start_link() is not None).find_start_link()
    assert link is not None
    return bob, alice, link


def test_a_text_walks_through_the_house_and_back(any_product: Product) -> None:
    bob, alice, link = _meet(any_product)
    alice.opens(link)
    alice.awaits("پیامتان را همین حالا بفرستید")
    alice.says("سلام از ردیف آخر 🌱")
    alice.awaits("✅")

    notice = bob.awaits("📬")
    tap = bob.taps(notice, "ib:")
    assert bob.awaits_toast(tap).is_answered
    message = bob.awaits(lambda seen: seen.has_button("r:"))
    assert message.text == "سلام از ردیف آخر 🌱"

    bob.taps(message, "r:")
    bob.awaits("Send your answer now")
    bob.says("Who are you?")
    bob.awaits("✅")
    alice.awaits("📬")
    alice.says("/inbox")
    answer = alice.awaits(lambda seen: seen.has_button("r:"))
    assert answer.text == "Who are you?"

    alice.says("همان که نمی‌گوید.", reply_to=answer)
    alice.awaits("✅")
    bob.awaits("📬")
    bob.says("/inbox")
    assert bob.awaits(lambda seen: seen.has_button("r:")).text == "همان که نمی‌گوید."


def test_several_messages_arrive_from_one_press_and_in_order(product: Product) -> None:
    bob, _, link = _meet(product)
    mallory = product.sandbox.people.person("Mallory", "en")
    for number in range(3):
        mallory.opens(link)
        mallory.awaits("Send your message")
        mallory.says(f"number {number}")
        mallory.awaits("✅")
    bob.awaits("📬")
    bob.says("/inbox")
    bob.awaits("number 2", seconds=20)
    texts = [message.text for message in bob.sees() if message.has_button("r:")]
    assert texts == ["number 0", "number 1", "number 2"]


def test_a_worker_that_is_killed_costs_nothing(product: Product) -> None:
    bob, alice, link = _meet(product)
    # A lane that is being sent from when its worker dies waits for its lease to pass: not the subject here.
    wait_until(lambda: product.count("outbox.lane", "lease_id IS NOT NULL") == 0)
    worker = product.processes["worker"]
    worker.kill()
    worker.wait(timeout=10)
    try:
        alice.opens(link)
        alice.awaits("پیامتان را")
        alice.says("without a worker")
        alice.awaits("✅")
        bob.awaits("📬")
        bob.says("/inbox")
        assert bob.awaits("without a worker").has_button("r:")
    finally:
        product.start(product.plans["worker"])
