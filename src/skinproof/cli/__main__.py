"""``python -m skinproof.cli``: the command line without the installed script."""

import sys

from skinproof.cli.main import main

sys.exit(main())
