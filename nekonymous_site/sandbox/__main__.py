"""``python -m nekonymous_site.sandbox``."""

import sys

from nekonymous_site.sandbox.command_line import main

if __name__ == "__main__":
    sys.exit(main())
