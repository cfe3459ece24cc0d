"""The program ``gradbody``: ``python -m gradbody``."""

import signal
import sys

from ._gradbody import run_program


def main() -> int:
    # The program listens itself, or Ctrl-C ends it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["gradbody", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
