"""Made-up texts of what breaks arithmetic on texts: pairs, joiners, marks, flags, directions and blanks."""

from hypothesis import strategies as st

_PIECES = (
    "a",
    "Z",
    "1",
    "#",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    "\t",
    "\u00a0",
    "س",
    "ی",
    "۳",
    "می\u200cروم",
    "\u200c",
    "\u200d",
    "\u064b",
    "\u0301",
    "e\u0301",
    "\u0600",
    "\u06dd",
    "👩",
    "👩\u200d🔬",
    "👨\u200d👩\u200d👧\u200d👦",
    "👍\U0001f3fd",
    "\U0001f3fd",
    "❤\ufe0f",
    "\ufe0f",
    "1\ufe0f\u20e3",
    "\U0001f1ee",
    "\U0001f1f7",
    "🏴",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\U000e0067",
    "\U000e007f",
    "葛\U000e0100",
    "\u0915\u094d\u0937\u093f",
    "\u094d",
    "\u1100",
    "\u1161",
    "\u202e",
    "\u2066",
    "\u200f",
    "\ufeff",
    "\u2060",
    "\u3164",
    "\u2800",
    "\x1b",
    "\u2028",
)


def tricky_texts(*, most_pieces: int = 30) -> st.SearchStrategy[str]:
    """Texts of such pieces, and of any other characters that Postgres and UTF-8 can hold."""
    anything = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    return st.lists(st.sampled_from(_PIECES) | anything, max_size=most_pieces).map("".join)
