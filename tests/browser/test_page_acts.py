"""What people do in the page: press buttons, answer, react, edit, delete, and what the bot says to it."""

import re

from opened_page import PageOpener
from page_people import meet, opened_column, send, send_buttons
from playwright.sync_api import expect

from tests.sandbox.sandbox_process import RunningSandbox, await_that

LINK = "https://t.me/nekonymous_sandbox_bot?start=of-kim"


def test_a_tap_waits_until_the_bot_has_answered(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    kim = meet(page_sandbox, "Kim")
    send_buttons(page_sandbox, kim, "press", {"text": "Go", "callback_data": "go", "style": "success"})
    column = opened_column(open_page(page_sandbox), kim)
    button = column.button("Go")
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    expect(button.get_by_label("waits for the bot")).to_be_visible()
    await_that(lambda: bool(kim.toasts()), what="a tap")
    page_sandbox.call(
        "answerCallbackQuery", callback_query_id=kim.toasts()[-1].callback_query_id, text="بله!"
    )
    expect(column.notes).to_contain_text("بله!")
    expect(button).not_to_have_attribute("aria-busy", "true")


def test_an_alert_is_a_dialog_that_gives_the_focus_back(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    leo = meet(page_sandbox, "Leo")
    send_buttons(page_sandbox, leo, "press", {"text": "Go", "callback_data": "go"})
    opened = open_page(page_sandbox)
    column = opened_column(opened, leo)
    column.button("Go").click()
    await_that(lambda: bool(leo.toasts()), what="a tap")
    query = leo.toasts()[-1].callback_query_id
    page_sandbox.call("answerCallbackQuery", callback_query_id=query, text="Mind this", show_alert=True)
    alert = opened.page.get_by_role("alertdialog")
    expect(alert).to_contain_text("Mind this")
    for _round in range(3):
        opened.page.keyboard.press("Tab")
        assert alert.evaluate("it => it.contains(document.activeElement)")
    opened.page.keyboard.press("Escape")
    expect(alert).to_have_count(0)
    expect(column.button("Go")).to_be_focused()


def test_answers_from_before_the_page_was_opened_are_not_told_again(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    max_ = meet(page_sandbox, "Max")
    send_buttons(page_sandbox, max_, "press", {"text": "Go", "callback_data": "go"})
    tap = max_.taps_data(2, "go")
    page_sandbox.call("answerCallbackQuery", callback_query_id=tap.callback_query_id, text="long ago")
    column = opened_column(open_page(page_sandbox), max_)
    send(page_sandbox, max_, "a sign that time has passed")
    expect(column.message("a sign that time has passed")).to_be_visible()
    expect(column.notes).not_to_contain_text("long ago")


def test_a_start_link_in_a_button_opens_as_anybody(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    nora, omar = meet(page_sandbox, "Nora"), meet(page_sandbox, "Omar")
    share = "https://t.me/share/url?url=https%3A%2F%2Ft.me%2Fnekonymous_sandbox_bot%3Fstart%3Dof-kim&text=x"
    send_buttons(page_sandbox, nora, "yours", {"text": "Open", "url": LINK}, {"text": "Share", "url": share})
    opened = open_page(page_sandbox)
    column = opened_column(opened, nora)
    for label in ("Open", "Share"):
        column.button(label).click()
        opened.page.get_by_role("menuitem", name="Open as Omar", exact=True).click()
        expect(opened_column(opened, omar).field).to_be_focused()
    await_that(lambda: [one.text for one in omar.sees()][1:] == ["/start of-kim"] * 2, what="both starts")
    column.button("Open").click()
    opened.page.get_by_role("menuitem", name="Open as Nora (this chat)").click()
    expect(column.message("/start of-kim")).to_be_visible()


def test_a_copying_button_copies(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    pia = meet(page_sandbox, "Pia")
    send_buttons(page_sandbox, pia, "yours", {"text": "Copy", "copy_text": {"text": LINK}})
    opened = open_page(page_sandbox)
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    column = opened_column(opened, pia)
    column.button("Copy").click()
    expect(column.notes).to_contain_text("Copied.")
    assert opened.page.evaluate("navigator.clipboard.readText()") == LINK


def test_answering_by_gesture_key_and_button(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    quinn = meet(page_sandbox, "Quinn")
    asked = send(page_sandbox, quinn, "How are you?")
    column = opened_column(open_page(page_sandbox), quinn)
    message = column.messages.filter(has_text="How are you?").first
    bar = column.root.locator(".about")
    message.locator(".meta").dblclick()
    expect(bar).to_contain_text("How are you?")
    expect(column.field).to_be_focused()
    column.field.press("Escape")
    expect(bar).to_have_count(0)
    message.focus()
    message.press("r")
    expect(bar).to_contain_text("Reply to")
    bar.get_by_role("button", name="Leave it").click()
    message.hover()
    message.get_by_role("button", name="Reply", exact=True).click()
    column.writes("Fine.")
    quote = column.message("Fine.").locator(".quote")
    expect(quote).to_contain_text("How are you?")
    assert quinn.sees()[-1].reply_to_message_id == asked
    quote.click()
    expect(message).to_be_focused()


def test_reactions_of_both_sides(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    rosa = meet(page_sandbox, "Rosa")
    own = rosa.says("like this")
    send(page_sandbox, rosa, "and this")
    page_sandbox.call(
        "setMessageReaction",
        chat_id=rosa.id,
        message_id=own.message_id,
        reaction=[{"type": "emoji", "emoji": "👀"}],
    )
    opened = open_page(page_sandbox)
    column = opened_column(opened, rosa)
    expect(column.message("like this").get_by_label(re.compile("👀.*, reaction of the bot"))).to_be_visible()
    message = column.message("and this")
    message.hover()
    message.get_by_role("button", name="React").click()
    opened.page.get_by_role("menuitem", name="🔥", exact=True).click()
    chip = message.get_by_role("button", name=re.compile("Take your reaction .*🔥.* away"))
    expect(chip).to_be_visible()
    assert rosa.sees()[-1].raw["message_id"] == 3
    chip.click()
    expect(chip).to_have_count(0)


def test_own_messages_are_edited_and_deleted(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    sam = meet(page_sandbox, "Sam")
    sam.says("frist")
    sam.says("second")
    column = opened_column(open_page(page_sandbox), sam)
    message = column.message("frist")
    message.hover()
    message.get_by_role("button", name="Edit").click()
    expect(column.field).to_have_value("frist")
    column.writes("first")
    expect(column.message("first")).to_contain_text("edited")
    assert sam.sees()[1].text == "first"
    column.message("second").focus()
    column.message("second").press("Delete")
    expect(column.messages.filter(has_text="second")).to_have_count(0)
    assert [one.text for one in sam.sees()] == ["/start", "first"]


def test_the_keyboard_of_the_bot_lies_in_place_of_the_letters(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    tara = meet(page_sandbox, "Tara")
    for number in range(20):
        send(page_sandbox, tara, f"message {number}")
    send(page_sandbox, tara, "choose", reply_markup={"keyboard": [["📬 صندوق من", "Other"], ["Third"]]})
    column = opened_column(open_page(page_sandbox), tara)
    # It takes its place from the log, in which the newest message stays in sight.
    expect(column.message("choose")).to_be_in_viewport(ratio=1)
    keyboard = column.root.get_by_role("group", name="Keyboard of the bot")
    assert keyboard.locator(".button-row").count() == 2
    keyboard.get_by_role("button", name="📬 صندوق من").click()
    expect(column.message("📬 صندوق من")).to_be_visible()
    toggle = column.root.get_by_role("button", name="Show or hide the bot's keyboard")
    toggle.click()
    expect(keyboard).to_be_hidden()
    expect(toggle).to_have_attribute("aria-expanded", "false")
    toggle.click()
    expect(keyboard).to_be_visible()
    send(page_sandbox, tara, "gone", reply_markup={"remove_keyboard": True})
    expect(keyboard).to_have_count(0)


def test_a_long_paste_goes_out_in_parts(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    uma = meet(page_sandbox, "Uma", "fa")
    column = opened_column(open_page(page_sandbox), uma)
    column.root.get_by_role("button", name="Send a sample").click()
    column.page.get_by_role("button", name="Paste a long text").click()
    pasted = column.field.input_value()
    column.field.press("Enter")
    await_that(lambda: len(uma.sees()) >= 4, what="three parts")
    expect(column.field).to_have_value("")
    twin = page_sandbox.people.person("Twin")
    twin.pastes(pasted)
    assert [one.text for one in uma.sees()[1:]] == [one.text for one in twin.sees()]


def test_samples_take_a_caption_and_a_spoiler(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    vera = meet(page_sandbox, "Vera")
    opened = open_page(page_sandbox)
    column = opened_column(opened, vera)
    for choice in ("Video", "Contact", "Album of pictures"):
        column.root.get_by_role("button", name="Send a sample").click()
        dialog = opened.page.get_by_role("dialog")
        dialog.get_by_label("Caption, where there can be one").fill("look")
        dialog.get_by_label("under a spoiler").check()
        dialog.get_by_role("button", name=choice, exact=True).click()
    await_that(lambda: len(vera.sees()) == 6, what="everything sent")
    sent = vera.sees()[1:]
    assert [one.kind for one in sent] == ["video", "contact", "photo", "video", "photo"]
    assert [one.caption for one in sent] == ["look", "", "look", "", ""]
    assert [one.has_spoiler for one in sent] == [True, False, True, True, True]


def test_a_draft_comes_back_after_an_edit(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    """Neither an edit nor the end of the edited message takes what somebody has typed."""
    sol = meet(page_sandbox, "Sol")
    sent = sol.says("to be edited")
    opened = open_page(page_sandbox)
    column = opened_column(opened, sol)
    column.field.fill("a draft")
    column.message("to be edited").focus()
    opened.page.keyboard.press("e")
    expect(column.field).to_have_value("to be edited")
    column.field.press("Escape")
    expect(column.field).to_have_value("a draft")
    column.message("to be edited").focus()
    opened.page.keyboard.press("e")
    column.field.fill("half of it")
    sol.deletes(sent)
    expect(column.messages).to_have_count(1)
    expect(column.field).to_have_value("a draft\nhalf of it")


def test_people_of_one_name_are_told_apart(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    first, second = meet(page_sandbox, "Namesake"), meet(page_sandbox, "Namesake")
    send(page_sandbox, first, LINK)
    opened = open_page(page_sandbox)
    expect(opened.column("Namesake").root).to_have_attribute("data-person", str(first.id))
    expect(opened.column("Namesake 2").root).to_have_attribute("data-person", str(second.id))
    people = opened.page.get_by_role("navigation", name="People")
    expect(people.get_by_role("button", name="Namesake 2")).to_be_visible()
    opened.column("Namesake").log.get_by_role("button", name=LINK).click()
    expect(opened.page.get_by_role("menuitem", name="Open as Namesake 2")).to_be_visible()
    opened.page.keyboard.press("Escape")
    opened.page.get_by_role("button", name="فارسی").click()
    expect(opened.column("Namesake ۲").root).to_be_visible()


def test_an_address_half_typed_outlives_a_change(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    uma = meet(page_sandbox, "Uma")
    column = opened_column(open_page(page_sandbox), uma)
    address = column.root.get_by_label("Address that")
    address.fill("t.me/half")
    uma.blocks_bot()
    expect(column.root).to_contain_text("has blocked the bot")
    expect(address).to_have_value("t.me/half")
    expect(address).to_be_focused()


def test_what_could_not_be_sent_comes_back_with_what_it_answers(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    yara = meet(page_sandbox, "Yara")
    question = send(page_sandbox, yara, "a question")
    opened = open_page(page_sandbox)
    column = opened_column(opened, yara)
    opened.page.route("**/messages", lambda route: route.fulfill(status=503, json={"error": "not now"}))
    column.message("a question").focus()
    opened.page.keyboard.press("r")
    column.writes("an answer")
    expect(column.notes).to_contain_text("not now")
    expect(column.field).to_have_value("an answer")
    opened.page.unroute("**/messages")
    opened.troubles.forget()
    column.field.press("Enter")
    expect(column.message("an answer")).to_be_visible()
    assert yara.sees()[-1].reply_to_message_id == question
