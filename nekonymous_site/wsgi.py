"""The WSGI application, as a worker of the web server loads it."""

from django.core.wsgi import get_wsgi_application

from nekonymous_site.startup import end_with_parent, prepare_process

end_with_parent()
prepare_process()
application = get_wsgi_application()
