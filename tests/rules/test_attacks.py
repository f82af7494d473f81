"""Each attack of the laboratory finds what it is meant to find, and says nothing of what is not there."""

from datetime import UTC, datetime

from handmade_dumps import ANNA, BELA, CARA, NEXT_DAY, dump, intent, key, seen_once, ticket, unread

from nekonymous_site.attack_lab.attacks.by_equal_values import MOST_SHARING, link_by_equal_values
from nekonymous_site.attack_lab.attacks.by_order import link_by_blurred_order, link_by_order
from nekonymous_site.attack_lab.attacks.by_size import link_by_size
from nekonymous_site.attack_lab.attacks.by_system_columns import link_by_system_columns
from nekonymous_site.attack_lab.attacks.by_time import link_by_time
from nekonymous_site.attack_lab.attacks.by_two_dumps import link_by_changed_sets, link_by_two_dumps
from nekonymous_site.attack_lab.attacks.combined import combine
from nekonymous_site.attack_lab.attacks.lane_owners import guess_lane_owners
from nekonymous_site.attack_lab.findings import Findings, match_by_rank
from nekonymous_site.attack_lab.thiefs_view import AccountKey, Dump, View, without_system_columns


def only(*accounts: AccountKey) -> frozenset[AccountKey]:
    return frozenset(accounts)


def test_order_pairs_the_rows_of_a_day() -> None:
    export = dump(
        [ticket(1), ticket(2, expires_on=NEXT_DAY), ticket(3), ticket(4, status="viewed", payload=None)],
        [unread(1, ANNA, expires_on=NEXT_DAY), unread(2, BELA), unread(3, CARA)],
    )

    assert link_by_order(seen_once(export)).recipients == {
        key(1): only(BELA),
        key(2): only(ANNA),
        key(3): only(CARA),
    }


def test_order_survives_a_row_too_few() -> None:
    """A thief may come between two statements of somebody else's clean-up."""
    export = dump([ticket(1), ticket(2), ticket(3)], [unread(1, ANNA), unread(2, BELA)])

    assert link_by_order(seen_once(export)).recipients.keys() == {key(1), key(2), key(3)}
    assert link_by_order(seen_once(dump([ticket(1)]))).recipients == {}


def test_blurred_order_names_who_has_most_about_the_place() -> None:
    tickets = [ticket(number) for number in range(5)]
    waiting = [unread(number, ANNA if number != 2 else BELA) for number in range(5)]

    found = link_by_blurred_order(seen_once(dump(tickets, waiting))).recipients

    assert found[key(2)] == only(ANNA)  # two beside it count half each and two a third: more than the one
    assert found[key(0)] == only(ANNA)


def test_order_finds_a_sender_whose_answer_waits_in_a_lane() -> None:
    export = dump(
        [ticket(1), ticket(2)],
        [unread(1, BELA, state="sending"), unread(2, BELA)],
        outbox__intent=[
            intent(1, "acknowledgement"),
            intent(2, "acknowledgement", state="pending", lane_tag=b"lane"),
            intent(3, "ticket", state="pending", lane_tag=b"lane"),
        ],
        outbox__lane=[{"lane_tag": b"lane"}],
    )

    assert link_by_order(seen_once(export)).senders == {key(2): only(BELA)}


def test_lanes_are_told_by_how_much_is_on_its_way() -> None:
    export = dump(
        [],
        [unread(n, ANNA, state="sending") for n in range(2)] + [unread(3, CARA, state="sending")],
        outbox__intent=[intent(n, "ticket", state="pending", lane_tag=b"two") for n in range(2)],
        outbox__lane=[{"lane_tag": b"two"}, {"lane_tag": b"other"}, {"lane_tag": b"third"}],
    )

    owners = guess_lane_owners(export)

    assert owners[b"two"] == only(ANNA)
    assert owners[b"other"] == only(BELA)  # by its place


def test_time_prefers_the_finest_that_is_shared() -> None:
    moment = datetime(2026, 1, 1, 12, 0, 1, tzinfo=UTC)
    export = dump(
        [ticket(1, created_at=moment), ticket(2)],
        [unread(1, ANNA, created_at=moment), unread(2, BELA), unread(3, BELA)],
        accounts__sent=[{"account_id": CARA, "created_at": moment}],
    )

    found = link_by_time(seen_once(export))

    assert found.recipients == {key(1): only(ANNA), key(2): only(BELA)}
    assert found.senders == {key(1): only(CARA)}


def test_time_says_nothing_of_days_that_nobody_shares() -> None:
    found = link_by_time(seen_once(dump([ticket(1, expires_on=NEXT_DAY)], [unread(1, ANNA)])))

    assert found == Findings()


def test_size_finds_equal_lengths() -> None:
    export = dump(
        [ticket(1, payload=bytes(777)), ticket(2)],
        [unread(1, ANNA, copy=bytes(777))],
        accounts__composition=[{"account_id": BELA, "body": bytes(777)}],
    )

    found = link_by_size(seen_once(export))

    assert found == Findings(recipients={key(1): only(ANNA)}, senders={key(1): only(BELA)})


def test_equal_values_are_followed_over_two_rows() -> None:
    export = dump(
        [ticket(1, owner=b"a shared value"), ticket(2)],
        [unread(1, ANNA, dedupe=b"another value"), unread(2, BELA)],
        outbox__intent=[{"one": b"a shared value", "other": b"another value"}],
        accounts__draft=[{"account_id": CARA, "body": key(2)}],
    )

    found = link_by_equal_values(seen_once(export))

    assert found == Findings(recipients={key(1): only(ANNA)}, senders={key(2): only(CARA)})


def test_small_numbers_join_under_one_name_only() -> None:
    export = dump(
        [ticket(1, ticket_id=7), ticket(2, ticket_id=8)],
        [unread(1, ANNA, ticket_id=7), unread(2, BELA, other_id=8)],
    )

    assert link_by_equal_values(seen_once(export)).recipients == {key(1): only(ANNA)}


def test_what_very_many_share_joins_nobody() -> None:
    sharing = [unread(number, ANNA, word=b"the same for all") for number in range(MOST_SHARING)]

    found = link_by_equal_values(seen_once(dump([ticket(1, word=b"the same for all")], sharing)))

    assert found == Findings()


def test_equal_values_look_into_redis() -> None:
    export = dump([ticket(1)], accounts__draft=[{"account_id": CARA, "body": b"a value of Redis"}])
    joined = Dump(
        tables=export.tables, redis={b"cache:" + key(1).hex().encode(): (b"a value of Redis", 1000)}
    )

    assert link_by_equal_values(seen_once(export)).senders == {}
    assert link_by_equal_values(seen_once(joined)).senders == {key(1): only(CARA)}


def test_two_dumps_pair_what_came_and_what_went() -> None:
    draft = {"account_id": CARA, "body": b"sealed"}
    first = dump([ticket(1), ticket(2)], [unread(1, ANNA), unread(2, BELA)], accounts__draft=[draft])
    second = dump(
        [ticket(1), ticket(2, status="viewed", payload=None), ticket(3)],
        [unread(1, ANNA), unread(3, CARA)],
    )

    found = link_by_two_dumps(View(first=first, second=second))

    assert found.recipients == {key(2): only(BELA), key(3): only(CARA)}
    assert found.senders == {key(3): only(CARA)}
    assert link_by_two_dumps(seen_once(first)) == Findings()


def test_changed_sets_name_whoever_got_or_lost_most() -> None:
    first = dump([ticket(n) for n in (1, 2, 3)], [unread(1, ANNA), unread(2, ANNA), unread(3, BELA)])
    second = dump(
        [*(ticket(n, status="viewed", payload=None) for n in (1, 2, 3)), ticket(4), ticket(5), ticket(6)],
        [unread(4, BELA), unread(5, CARA), unread(6, CARA)],
    )

    found = link_by_changed_sets(View(first=first, second=second)).recipients

    assert {found[key(number)] for number in (1, 2, 3)} == {only(ANNA)}
    assert {found[key(number)] for number in (4, 5, 6)} == {only(CARA)}
    assert link_by_changed_sets(seen_once(first)) == Findings()


def test_system_columns_join_rows_of_one_transaction() -> None:
    export = dump(
        [ticket(1, xmin=10), ticket(2, xmin=11), ticket(3, xmin=12)],
        [unread(1, ANNA, xmin=11), unread(2, BELA, xmin=20), unread(3, CARA, xmin=21)],
        accounts__draft=[{"account_id": CARA, "body": b"", "xmin": 10}],
        accounts__account=[{"account_id": account, "xmin": 1} for account in (ANNA, BELA, CARA)],
        outbox__intent=[intent(1, "acknowledgement", xmin=5)],
    )

    found = link_by_system_columns(seen_once(export))

    assert found.recipients[key(2)] == only(ANNA)  # the same number
    assert found.recipients[key(3)] == only(CARA)  # by the order of numbers
    assert found.senders == {key(1): only(CARA)}
    assert link_by_system_columns(seen_once(without_system_columns(export))) == Findings()


def test_combined_narrows_and_passes_contradictions_over() -> None:
    found = combine(
        [
            Findings(recipients={key(1): only(ANNA, BELA)}, senders={key(1): only(BELA, CARA)}),
            Findings(recipients={key(1): only(BELA, CARA), key(2): only(CARA)}),
            Findings(recipients={key(1): only(ANNA)}),
        ]
    )

    assert found.recipients == {key(1): only(BELA), key(2): only(CARA)}
    assert found.senders == {key(1): only(CARA)}  # nobody has written to themselves


def test_lists_of_two_lengths_are_laid_beside_each_other() -> None:
    assert match_by_rank("ab", "xy") == [("a", 0), ("b", 1)]
    assert match_by_rank("abcd", "xy") == [("a", 0), ("b", 0), ("c", 1), ("d", 1)]
    assert match_by_rank("a", "") == []
