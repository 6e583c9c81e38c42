"""``python -m edgeworth`` is the command."""

from edgeworth.cli import main

if __name__ == "__main__":
    main()
