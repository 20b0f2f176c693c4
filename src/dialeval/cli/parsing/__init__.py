"""From the command line to the function of a verb: at once where the line is plain, by typer where it is not."""
