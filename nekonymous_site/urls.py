"""The routes of this process; Django's own error pages are replaced by the one error shape."""

from django.conf import settings
from django.urls import path

from nekonymous_site.api import build_api
from nekonymous_site.http_errors import refuse_after_failure, refuse_bad_request, refuse_unknown_path

urlpatterns = [path("", build_api(setup_mode=settings.NEKO.setup_mode).urls)]

handler400 = handler403 = refuse_bad_request
handler404 = refuse_unknown_path
handler500 = refuse_after_failure
