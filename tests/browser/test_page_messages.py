"""What stands in a chat of the page: texts with entities, media, albums, edits, replies, long chats."""

import re

from opened_page import PageOpener
from page_people import meet, opened_column, send
from playwright.sync_api import expect

from nekonymous_site.sandbox.sample_media import SAMPLE_KINDS
from tests.sandbox.sandbox_process import RunningSandbox

# A text as its elements show it: names of tags around what they hold.
OUTLINE = """
element => {
  const outline = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    const inner = [...node.childNodes].map(outline).join("");
    if (node.matches(".link-target, .pre-language, .expand")) return "";
    if (node.matches(".spoiler-text, .quoted, .text-link, pre code")) return inner;
    const isOurs = node.matches(".spoiler, .link, .custom-emoji, .mention");
    return `<${isOurs ? node.classList[0] : node.localName}>${inner}</>`;
  };
  return [...element.childNodes].map(outline).join("");
}
"""


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def entity(kind: str, text: str, part: str, **more: object) -> dict[str, object]:
    """The entity over the first occurrence of a part."""
    return {"type": kind, "offset": units(text[: text.index(part)]), "length": units(part), **more}


FAMILY = "👨‍👩‍👧 سلام، دنیا bold"
NESTED = "one two three four"


# Text, entities, and what is to be seen of them.
FORMATTED: list[tuple[str, list[dict[str, object]], str]] = [
    (FAMILY, [entity("bold", FAMILY, "سلام، دنیا")], "👨‍👩‍👧 <strong>سلام، دنیا</> bold"),
    (FAMILY, [entity("italic", FAMILY, "👨‍👩‍👧")], "<em>👨‍👩‍👧</> سلام، دنیا bold"),
    (
        NESTED,
        [
            entity("italic", NESTED, "two"),
            entity("bold", NESTED, "one two three"),
            entity("underline", NESTED, "two three"),
        ],
        "<strong>one <u><em>two</> three</></> four",
    ),
    (
        NESTED,
        [entity("bold", NESTED, "one two"), entity("strikethrough", NESTED, "two three")],
        "<strong>one <s>two</></><s> three</> four",
    ),
    (
        NESTED,
        [entity("spoiler", NESTED, "two"), entity("code", NESTED, "three")],
        "one <spoiler>two</> <code>three</> four",
    ),
    (
        "quoted\nbehind",
        [{"type": "expandable_blockquote", "offset": 0, "length": 6}],
        "<blockquote>quoted</>behind",
    ),
    ("x = 1", [{"type": "pre", "offset": 0, "length": 5, "language": "python"}], "<pre>x = 1</>"),
]


def test_entities_stand_where_they_belong(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    reader = meet(page_sandbox, "Entities")
    for text, entities, _expected in FORMATTED:
        send(page_sandbox, reader, text, entities=entities)
    column = opened_column(open_page(page_sandbox), reader)
    expect(column.messages).to_have_count(len(FORMATTED) + 1)
    words = column.log.locator(".from-bot .words").all()
    assert [one.evaluate(OUTLINE) for one in words] == [expected for _text, _entities, expected in FORMATTED]
    assert {one.get_attribute("dir") for one in words} == {"auto"}


def test_hostile_words_stay_words(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    hostile = "<img src=x onerror=\"document.title='taken'\"> \u202eevil\u202c </div><script>1</script>"
    mallory = meet(page_sandbox, "<b>Mallory</b>\u202e")
    page_sandbox.call(
        "sendMessage",
        chat_id=mallory.id,
        text=hostile,
        reply_markup={"inline_keyboard": [[{"text": hostile[:40], "callback_data": "x"}]]},
    )
    send(page_sandbox, mallory, "keyboard", reply_markup={"keyboard": [[hostile[:40]]]})
    mallory.sends("document", extra={"file_name": hostile})
    opened = open_page(page_sandbox)
    column = opened.page.locator(f"[data-person='{mallory.id}']")
    expect(column.locator(".words", has_text="evil").first).to_have_text(hostile)
    expect(column.locator(".inline-button")).to_contain_text(hostile[:40])
    expect(column.locator(".card-title")).to_have_text(hostile)
    expect(column.locator("h2")).to_have_text(mallory.first_name)
    assert column.locator("img, script, .words b").count() == 0
    assert opened.page.title() == "Nekonymous sandbox"


def test_links_show_where_they_lead_and_commands_are_sent(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    clara = meet(page_sandbox, "Clara")
    text = "see here or /help"
    send(page_sandbox, clara, text, entities=[entity("text_link", text, "here", url="https://example.org/a")])
    opened = open_page(page_sandbox)
    column = opened_column(opened, clara)
    message = column.message("see here")
    expect(message).to_contain_text("example.org/a")
    message.get_by_role("button", name="here").click()
    menu = opened.page.get_by_role("menu", name="What to do with the link")
    expect(menu).to_contain_text("https://example.org/a")
    expect(menu.get_by_role("menuitem", name=re.compile("Open as"))).to_have_count(0)
    opened.page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    message.get_by_role("button", name="/help").click()
    expect(column.messages.last).to_have_text(re.compile("^.{0,3}/help"))
    assert clara.sees()[-1].text == "/help"


def test_a_link_opens_by_the_address_field_too(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    dora = meet(page_sandbox, "Dora")
    column = opened_column(open_page(page_sandbox), dora)
    address = column.root.get_by_label(re.compile("Address that .*Dora.* opens"))
    address.fill("https://t.me/nekonymous_sandbox_bot?start=a-slug_1")
    address.press("Enter")
    expect(column.message("/start a-slug_1")).to_be_visible()
    address.fill("https://example.org/")
    address.press("Enter")
    expect(column.notes).to_contain_text("This is no link that opens a bot.")


def test_spoilers_open_by_click_and_by_key(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    eva = meet(page_sandbox, "Eva")
    send(page_sandbox, eva, "the secret", entities=[{"type": "spoiler", "offset": 4, "length": 6}])
    send(page_sandbox, eva, "another one", entities=[{"type": "spoiler", "offset": 0, "length": 7}])
    eva.sends("photo", spoiler=True)
    column = opened_column(open_page(page_sandbox), eva)
    hidden = column.log.get_by_role("button", name="Hidden text")
    expect(hidden).to_have_count(2)
    assert (
        column.log.locator(".spoiler-text").first.evaluate("it => getComputedStyle(it).visibility")
        == "hidden"
    )
    hidden.first.click()
    hidden.first.press("Enter")
    expect(hidden).to_have_count(0)
    expect(column.log.locator(".spoiler-text").last).to_be_visible()
    column.log.get_by_role("button", name=re.compile("Hidden, press to show · Photo")).click()
    expect(column.log.get_by_role("img", name="Photo")).to_be_visible()
    # What was opened stays open when the message changes.
    send(page_sandbox, eva, "more")
    expect(column.message("more")).to_be_visible()
    expect(hidden).to_have_count(0)


def test_every_kind_has_a_drawing_that_says_what_it_is(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    fred = meet(page_sandbox, "Fred")
    for kind in SAMPLE_KINDS:
        fred.sends(kind)
    column = opened_column(open_page(page_sandbox), fred)
    expect(column.messages).to_have_count(len(SAMPLE_KINDS) + 1)
    labels = [
        label.split(", ")[1] for label in column.messages.evaluate_all("all => all.map(it => it.ariaLabel)")
    ]
    assert len(set(labels[1:])) == len(SAMPLE_KINDS)
    for words in (
        "Photo",
        "Video · 0:03",
        "notes.txt",
        "Voice · 0:04",
        "Somebody – Song",
        "Tea?",
        "A teahouse",
    ):
        expect(column.log.get_by_text(words, exact=False).first).to_be_attached()


def test_an_album_is_one_grid_with_its_caption(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    gina = meet(page_sandbox, "Gina")
    gina.sends_album([("photo", "three of them"), ("video", ""), ("photo", "")])
    column = opened_column(open_page(page_sandbox), gina)
    album = column.messages.last
    expect(column.messages).to_have_count(2)
    expect(album).to_contain_text("three of them")
    expect(album.locator(".album .picture")).to_have_count(3)
    boxes = [picture.bounding_box() for picture in album.locator(".picture").all()]
    assert boxes[1] is not None
    assert boxes[2] is not None
    assert boxes[1]["y"] == boxes[2]["y"]


def test_edits_happen_in_place_and_nothing_jumps(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    hugo = meet(page_sandbox, "Hugo")
    ids = [send(page_sandbox, hugo, f"message number {number}") for number in range(40)]
    column = opened_column(open_page(page_sandbox), hugo)
    expect(column.message("message number 39")).to_be_in_viewport()
    marked = column.message("message number 20")
    marked.scroll_into_view_if_needed()
    before = marked.bounding_box()
    page_sandbox.call("editMessageText", chat_id=hugo.id, message_id=ids[2], text="changed\n" * 12)
    expect(column.message("changed")).to_contain_text("edited")
    send(page_sandbox, hugo, "and a new one")
    expect(column.message("and a new one")).to_be_attached()
    after = marked.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 1
    column.root.get_by_role("button", name="To the newest message").click()
    expect(column.message("and a new one")).to_be_in_viewport()
    page_sandbox.call("editMessageText", chat_id=hugo.id, message_id=ids[-1], text="taller\n" * 6)
    expect(column.message("and a new one")).to_be_in_viewport()


def test_marks_say_edited_silent_and_protected(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    ida = meet(page_sandbox, "Ida")
    number = send(page_sandbox, ida, "quiet", disable_notification=True, protect_content=True)
    page_sandbox.call("editMessageText", chat_id=ida.id, message_id=number, text="quieter")
    message = opened_column(open_page(page_sandbox), ida).message("quieter")
    expect(message.get_by_label("came silently")).to_be_visible()
    expect(message.get_by_label("protected from copying")).to_be_visible()
    expect(message.get_by_text("edited")).to_be_visible()
    expect(message.locator("time")).to_have_text(re.compile(r"^\d\d:\d\d$"))


def test_five_hundred_messages_are_no_burden(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    jim = meet(page_sandbox, "Jim")
    for number in range(500):
        send(page_sandbox, jim, f"number {number}.")
    column = opened_column(open_page(page_sandbox), jim)
    expect(column.messages).to_have_count(500)
    expect(column.message("number 499.")).to_be_in_viewport()
    column.writes("still here")
    expect(column.message("still here")).to_be_in_viewport()
    expect(column.messages.filter(has_text="number 0.")).to_have_count(0)
