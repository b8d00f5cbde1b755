"""The command `spuna`: replaces this process by the program that the package carries.

It is no part of the package `spuna`, whose import loads Arrow: the program loads its own.
"""

import os
import signal
import sys


def main() -> None:
    """Runs the program with the arguments of this process. Signals and exit code are then its own."""
    # Python ignores these two, and a new program inherits that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spuna", "_bin", "spuna")
    os.execv(program, [program, *sys.argv[1:]])
