"""`python -m epsilex` is the `epsilex` command."""

from epsilex.cli import main

if __name__ == "__main__":
    main()
