"""One message from link to delivery and back, step by step."""

from town import Town, count

from nekonymous_site.bot import outcome_texts


def test_a_text_goes_from_one_person_to_another_and_an_answer_back(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")

    alice.opens(link)
    town.settle()
    assert alice.sees()[-1].text == outcome_texts.compose_prompt("en", name=None)

    alice.says("I liked your talk.")
    town.settle()
    assert alice.sees()[-1].text.startswith("✅ Sent.")
    notice = bob.sees()[-1]
    assert notice.text == outcome_texts.notice("en", count=1)

    bob.taps(notice, "ib:")
    town.settle()
    [message] = town.delivered(bob)
    assert message.text == "I liked your talk."
    assert message.is_protected

    bob.taps(message, "r:")
    town.settle()
    bob.says("Thank you!")
    town.settle()
    alice.says("/inbox")
    town.settle()
    [answer] = town.delivered(alice)
    assert answer.text == "Thank you!"
    assert answer.reply_to_message_id is not None

    alice.says("You are welcome.", reply_to=answer)
    town.settle()
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == ["I liked your talk.", "You are welcome."]
    assert count("accounts.unread") == 0
    assert count("tickets.ticket", "payload IS NOT NULL") == 0
