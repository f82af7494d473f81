"""Made-up examples of what a person can send or do that is neither a text nor a file."""

from nekonymous_site.sandbox.json_types import JsonObject

_CHANNEL: JsonObject = {"id": -1001500000001, "title": "A channel", "type": "channel"}
_PLACE: JsonObject = {"latitude": 35.6892, "longitude": 51.389}
_STICKER: JsonObject = {
    "file_id": "sandbox-gift-sticker",
    "file_unique_id": "sandbox-gift",
    "type": "custom_emoji",
    "width": 512,
    "height": 512,
    "is_animated": True,
    "is_video": False,
}
_TRAIT: JsonObject = {"name": "Plain", "sticker": _STICKER, "rarity_per_mille": 10}

# In the order in which a message's kind is told: a venue also says where it is.
OTHER_SAMPLES: dict[str, JsonObject] = {
    "contact": {"phone_number": "+15550100", "first_name": "Somebody"},
    "venue": {"location": _PLACE, "title": "A teahouse", "address": "1 Made-up Street"},
    "location": _PLACE,
    "dice": {"emoji": "🎲", "value": 4},
    "poll": {
        "id": "1",
        "question": "Tea?",
        "options": [
            {"persistent_id": "1", "text": "Yes", "voter_count": 0},
            {"persistent_id": "2", "text": "No", "voter_count": 0},
        ],
        "total_voter_count": 0,
        "is_closed": False,
        "is_anonymous": True,
        "type": "regular",
        "allows_multiple_answers": False,
    },
    "story": {"chat": _CHANNEL, "id": 7},
    "paid_media": {"star_count": 5, "paid_media": [{"type": "preview", "width": 320, "height": 240}]},
    "checklist": {"title": "Shopping", "tasks": [{"id": 1, "text": "Tea"}, {"id": 2, "text": "Sugar"}]},
    "giveaway": {"chats": [_CHANNEL], "winners_selection_date": 2_000_000_000, "winner_count": 1},
    "gift": {"gift": {"id": "1", "sticker": _STICKER, "star_count": 15}},
    "unique_gift": {
        "gift": {
            "gift_id": "1",
            "base_name": "Teapot",
            "name": "Teapot-1",
            "number": 1,
            "model": _TRAIT,
            "symbol": _TRAIT,
            "backdrop": {
                "name": "Plain",
                "colors": {"center_color": 1, "edge_color": 2, "symbol_color": 3, "text_color": 4},
                "rarity_per_mille": 10,
            },
        },
        "origin": "transfer",
    },
    "game": {
        "title": "Chess",
        "description": "A game",
        "photo": [
            {"file_id": "sandbox-game", "file_unique_id": "sandbox-game", "width": 320, "height": 240},
        ],
    },
    "invoice": {
        "title": "Tea",
        "description": "A cup",
        "start_parameter": "tea",
        "currency": "XTR",
        "total_amount": 1,
    },
    # Service messages: somebody did something, and nobody wrote it.
    "pinned_message": {
        "message_id": 1,
        "date": 0,
        "chat": {"id": 1, "first_name": "Somebody", "type": "private"},
    },
    "users_shared": {"request_id": 1, "users": [{"user_id": 2**33 + 1, "first_name": "Somebody"}]},
}
