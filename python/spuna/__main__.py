"""``python -m spuna`` is the command ``spuna``."""

from _spuna_command import main

main()
