"""One made-up example of each kind of content a person can send besides text."""

from nekonymous_site.sandbox.json_types import JsonObject

_FILE: JsonObject = {"file_id": "sandbox-file", "file_unique_id": "sandbox-unique", "file_size": 2048}
_PICTURE: JsonObject = {**_FILE, "width": 320, "height": 240}

SAMPLES: dict[str, JsonObject | list[JsonObject]] = {
    "photo": [{**_PICTURE, "width": 90, "height": 67}, _PICTURE],
    "video": {**_PICTURE, "duration": 3, "mime_type": "video/mp4"},
    "animation": {**_PICTURE, "duration": 2, "mime_type": "video/mp4", "file_name": "wave.mp4"},
    "document": {**_FILE, "file_name": "notes.txt", "mime_type": "text/plain"},
    "voice": {**_FILE, "duration": 4, "mime_type": "audio/ogg"},
    "audio": {**_FILE, "duration": 120, "title": "Song", "performer": "Somebody", "mime_type": "audio/mpeg"},
    "sticker": {
        **_FILE,
        "type": "regular",
        "width": 512,
        "height": 512,
        "is_animated": False,
        "is_video": False,
        "emoji": "🐈",
        "set_name": "cats",
    },
    "video_note": {**_FILE, "length": 240, "duration": 3},
    "contact": {"phone_number": "+15550100", "first_name": "Somebody"},
    "location": {"latitude": 35.6892, "longitude": 51.389},
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
}
