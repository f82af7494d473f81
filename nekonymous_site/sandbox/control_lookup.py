"""From an address of the control API to a person or a group."""

from nekonymous_site.sandbox.control_requests import ControlError
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import Conversation, Person


def find_person(simulation: Simulation, person_id: int) -> Person:
    """Find somebody made up. Raises ControlError."""
    person = simulation.world.people.get(person_id)
    if person is None:
        raise ControlError(404, f"there is no person {person_id}")
    return person


def find_group(simulation: Simulation, chat_id: int) -> Conversation:
    """Find a group. Raises ControlError."""
    conversation = simulation.world.conversations.get(chat_id)
    if conversation is None:
        raise ControlError(404, f"there is no group {chat_id}")
    return conversation
