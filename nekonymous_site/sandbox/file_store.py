"""The files that people have sent to the bot, which it may send on by their ids."""

from dataclasses import dataclass, field

from nekonymous_site.sandbox.bot_api_errors import bad_request, wrong_file_id
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.sample_media import FILE_KINDS, MediumContent

FILES_KEPT = 5_000
_THUMBNAIL = "thumbnail"
# What the server calls the types of files in its refusals.
_TYPE_NAMES = {
    "photo": "Photo",
    "video": "Video",
    "animation": "Animation",
    "document": "Document",
    "voice": "VoiceNote",
    "audio": "Audio",
    "sticker": "Sticker",
    "video_note": "VideoNote",
    _THUMBNAIL: "Thumbnail",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """The medium that a file id stands for, as it stands in a message."""

    kind: str
    content: MediumContent = field(repr=False)


class FileStore:
    """Media by each of their file ids; the oldest ids are forgotten when there are too many."""

    def __init__(self) -> None:
        self.files: dict[str, StoredFile] = {}

    def remember(self, message: JsonObject) -> None:
        """Keep the medium of a message that a person sent, if it holds one."""
        kind = next((kind for kind in FILE_KINDS if kind in message), None)
        if kind is None:
            return
        content = message[kind]
        for sized in content if isinstance(content, list) else [content]:
            self._keep(sized, StoredFile(kind=kind, content=content))
            if isinstance(sized, dict) and _THUMBNAIL in sized:
                thumbnail = sized[_THUMBNAIL]
                self._keep(thumbnail, StoredFile(kind=_THUMBNAIL, content=thumbnail))
        while len(self.files) > FILES_KEPT:
            del self.files[next(iter(self.files))]

    def find(self, file_id: str, *, kind: str) -> MediumContent:
        """Find the medium to send as this kind. Raises BotApiError for an unknown id or another kind's."""
        stored = self.files.get(file_id)
        if stored is None:
            raise wrong_file_id()
        if stored.kind != kind:
            # The real server lets some kinds of documents pass for others; a mix-up shall be seen here.
            reason = f"can't use file of type {_TYPE_NAMES[stored.kind]} as {_TYPE_NAMES[kind]}"
            raise bad_request(reason)
        return stored.content

    def _keep(self, sized: object, stored: StoredFile) -> None:
        """Remember under the id of one size; what was made by hand may lack one."""
        if isinstance(sized, dict) and isinstance(sized.get("file_id"), str):
            self.files[sized["file_id"]] = stored
