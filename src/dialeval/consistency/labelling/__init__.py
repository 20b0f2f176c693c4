"""Labels of answers by raters: tasks out, answers in, two of three settled."""
