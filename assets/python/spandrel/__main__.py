"""`python -m spandrel` is the command `spandrel`."""

import os
import subprocess
import sys

from ._run import binary

if __name__ == "__main__":
    command = [binary(), *sys.argv[1:]]
    if os.name == "nt":  # there exec would return to the shell before the command ends
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
