"""``python -m dialeval`` is the ``dialeval`` command."""

from dialeval.cli import main

if __name__ == "__main__":
    main()
