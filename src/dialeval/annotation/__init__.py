"""What raters are asked and what they answer: forms, tasks, keys and filled-in answers."""
