"""Agreement among raters: kappa, alpha and intraclass correlation."""
