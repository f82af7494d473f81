"""What may stand together in an album."""

import secrets
from collections.abc import Sequence

from nekonymous_site.sandbox.bot_api_errors import bad_request

MOST_ALBUM_ITEMS = 10
ALBUM_KINDS = frozenset({"photo", "video", "document", "audio"})
_KINDS_THAT_DO_NOT_MIX = ("document", "audio")


def check_album(kinds: Sequence[str], *, captions_above: Sequence[bool]) -> None:
    """Check kinds and caption positions of an album's items. Raises BotApiError as the server does."""
    if not kinds:
        raise bad_request("there are no messages to send")
    if len(kinds) > MOST_ALBUM_ITEMS:
        raise bad_request("too many messages to send as an album")
    if len(set(captions_above)) > 1:
        raise bad_request("parameter show_caption_above_media must be the same for all messages")
    alone = next((kind for kind in kinds if kind in _KINDS_THAT_DO_NOT_MIX), None)
    if alone is not None and set(kinds) != {alone}:
        reason = f"{alone} can't be mixed with other media types"
        raise bad_request(reason)


def make_media_group_id() -> str:
    """Make up the id that an album's messages share."""
    return str(1 + secrets.randbelow(2**63 - 1))
