"""The sandbox's browser page: its files, and the rules under which a browser shows them."""

from pathlib import Path

from aiohttp import web

_FOLDER = Path(__file__).with_name("page")
_CONTENT_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
# Nothing but these very files: no other origin, no script or style inside the page, no frame around it.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    # A changed checkout shows at the next load.
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageFiles:
    """Serves the page at ``/`` and its parts below ``/page/``; only files that lie there."""

    def add_routes(self, application: web.Application) -> None:
        """Serve the page of an application."""
        application.router.add_get("/", self.show_page)
        application.router.add_get("/favicon.ico", self.show_icon)
        application.router.add_get("/page/{name}", self.show_part)

    async def show_page(self, _request: web.Request) -> web.Response:
        """The page itself."""
        return self._answer("index.html")

    async def show_icon(self, _request: web.Request) -> web.Response:
        """The icon, for browsers that ask for it by its old name."""
        return self._answer("icon.svg")

    async def show_part(self, request: web.Request) -> web.Response:
        """A script, a style sheet or the icon. Raises HTTPNotFound."""
        return self._answer(request.match_info["name"])

    def _answer(self, name: str) -> web.Response:
        # Looked up each time, so that a changed checkout is served as a whole.
        path = next((one for one in _FOLDER.iterdir() if one.name == name), None)
        if path is None or path.suffix not in _CONTENT_TYPES:
            raise web.HTTPNotFound
        return web.Response(
            text=path.read_text(encoding="utf-8"),
            content_type=_CONTENT_TYPES[path.suffix],
            charset="utf-8",
            headers=_HEADERS,
        )
