"""Runs the program: `python -m a2aspec check URL`."""

import subprocess
import sys

from .locate import A2aspecError, program


def main() -> int:
    """Run the program with the arguments of this process, and return its exit code."""
    try:
        return subprocess.call([program(), *sys.argv[1:]])
    except A2aspecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    except KeyboardInterrupt:
        # The program received the signal, too, and has written its reports.
        return 130


if __name__ == "__main__":
    sys.exit(main())
