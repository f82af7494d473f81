"""What people do in a random history: write, answer, ask, take back, block, leave and return."""

from functools import partial

from history_world import World
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from inbox_reference import Message
from stored_rows import read_value

from nekonymous_site.sandbox.people import SeenMessage

PERSON = st.integers(0, 2)
PLACE = st.integers(0, 30)
DELIVERIES = st.integers(0, 2)  # how often an update comes at once; else it waits for its turn


class PeopleRules(RuleBasedStateMachine):
    """Each rule is one act; the update that it makes waits until a rule of the bot takes it."""

    world: World
    away: set[int]

    @rule(sender=PERSON, step=st.integers(1, 2), deliveries=DELIVERIES)
    def write(self, sender: int, step: int, *, deliveries: int) -> None:
        if sender in self.away:
            return
        owner = (sender + step) % 3
        world, person = self.world, self.world.people[sender]
        world.note_act(person.opens(world.links[owner]), partial(self._take_opened, sender, owner))
        world.take_waiting(-1)
        self._say(sender, answers=None)
        world.take_last(deliveries)

    @rule(owner=PERSON, place=PLACE, deliveries=DELIVERIES)
    def answer(self, owner: int, place: int, *, deliveries: int) -> None:
        arrived = self._pick_arrived(owner, place)
        if arrived is None:
            return
        self._say(owner, answers=arrived)
        self.world.take_last(deliveries)

    @rule(owner=PERSON, deliveries=DELIVERIES, by_button=st.booleans())
    def ask_for_inbox(self, owner: int, *, deliveries: int, by_button: bool) -> None:
        if owner in self.away:
            return
        person = self.world.people[owner]
        notices = [one for one in self.world.chat_of(owner) if one.has_button("ib:")] if by_button else []
        act = person.taps(notices[-1], "ib:") if notices else person.says("/inbox")
        self.world.note_act(act, self.world.take_plainly)
        self.world.take_last(deliveries)

    @rule(sender=PERSON, place=PLACE)
    def take_back(self, sender: int, place: int) -> None:
        offers = [one for one in self.world.chat_of(sender) if one.has_button("w:")]
        if not offers or sender in self.away:
            return
        offer = offers[place % len(offers)]
        assert offer.reply_to_message_id is not None
        message = self.world.reference.find_written(sender, message_id=offer.reply_to_message_id)
        assert message is not None
        tap = self.world.people[sender].taps(offer, "w:")
        self.world.note_act(tap, partial(self._take_withdrawal, message))

    @rule(owner=PERSON, place=PLACE, wanted=st.booleans())
    def block_or_unblock(self, owner: int, place: int, *, wanted: bool) -> None:
        arrived = self._pick_arrived(owner, place)
        if arrived is None:
            return
        seen, message = arrived
        data = seen.button("i:").callback_data
        assert data is not None
        tap = self.world.people[owner].taps_data(seen, ("u:" if wanted else "b:") + data.partition(":")[2])
        self.world.note_act(tap, partial(self._take_block, owner, message, wanted=wanted))

    @rule(number=PERSON)
    def leave_or_return(self, number: int) -> None:
        person = self.world.people[number]
        if number in self.away:
            self.away.discard(number)
            self.world.note_act(person.unblocks_bot(), self.world.take_plainly)
            self.world.note_act(person.says("/help"), self.world.take_plainly)
        else:
            self.away.add(number)
            self.world.note_act(person.blocks_bot(), self.world.take_plainly)

    @rule(places=st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=1, max_size=3))
    def take_updates(self, places: list[int]) -> None:
        """Give the bot some updates, not always the oldest first."""
        for place in places[: len(self.world.waiting)]:
            self.world.take_waiting(place % len(self.world.waiting))

    def _say(self, sender: int, *, answers: tuple[SeenMessage, Message] | None) -> None:
        text = self.world.new_text()
        seen, answered = answers or (None, None)
        sent = self.world.people[sender].says(text, reply_to=seen)
        assert sent.message_id is not None
        message = Message(
            text=text,
            sender=sender,
            message_id=sent.message_id,
            written_at=self.world.clock + 1,
            answers=answered,
        )
        self.world.reference.messages.append(message)
        self.world.note_act(sent, partial(self._take_message, message))

    def _pick_arrived(self, owner: int, place: int) -> tuple[SeenMessage, Message] | None:
        may_be_there = any(m.is_confirmed or m.nobody_knew for m in self.world.messages_to(owner))
        if owner in self.away or not may_be_there:
            return None
        arrived = [one for one in self.world.chat_of(owner) if one.has_button("i:")]
        if not arrived:
            return None
        seen = arrived[place % len(arrived)]
        message = self.world.reference.find(seen.text)
        assert message is not None, "somebody got what nobody wrote"
        return seen, message

    def _take_opened(self, sender: int, owner: int, raw: bytes) -> None:
        self.world.take_plainly(raw)
        self.world.reference.drafts[sender] = (owner, self.world.clock)

    def _take_message(self, message: Message, raw: bytes) -> None:
        """The gates let a message in exactly if whoever it is for can be reached and has not blocked."""
        world, reference = self.world, self.world.reference
        recipient = reference.destination(message)
        is_open = recipient is not None and world.is_reachable(recipient)
        is_open &= (recipient, message.sender) not in reference.blocks
        world.take_plainly(raw)
        found = world.find_new_ticket()
        assert (found is not None) is is_open, "accepted" if found else "not accepted"
        if found is not None:
            message.dedupe_tag, message.ticket_hash = found
        reference.note_taken(message, is_accepted=found is not None, recipient=recipient)

    def _take_withdrawal(self, message: Message, raw: bytes) -> None:
        is_there = self._has_ticket(message)
        self.world.take_plainly(raw)
        assert not self._has_ticket(message), "what was taken back is still there"
        if is_there:
            message.is_withdrawn = True
            self.world.reference.withdrawn += 1

    def _take_block(self, owner: int, message: Message, raw: bytes, *, wanted: bool) -> None:
        self.world.take_plainly(raw)
        if message.is_expired:
            return
        if wanted:
            self.world.reference.blocks.discard((owner, message.sender))
        else:
            self.world.reference.note_blocked(owner, message.sender)

    @staticmethod
    def _has_ticket(message: Message) -> bool:
        assert message.ticket_hash is not None
        return bool(
            read_value(
                "SELECT count(*) FROM tickets.ticket WHERE ticket_hash = %s AND status = 'sealed'",
                [message.ticket_hash],
            )
        )
