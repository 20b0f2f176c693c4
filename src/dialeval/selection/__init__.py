"""Response selection with well-chosen false candidates (Sato et al., 2020): build, vet, inspect, ask.

A question offers a context and candidate responses, one of them right.

- Build: ``repository`` keeps the utterances, ``drafting`` retrieves false candidates and drafts questions.
- Vet: `dialeval.annotation` exports tasks and reads judgements; ``vetting`` applies the rules, or automatic judges.
- Label: ``labelling`` says why candidates are false, by raters or by guesses.
- Inspect: ``statistics``, and ``artefacts`` that give the right candidates away.
- Ask: ``asking`` asks systems, scores their choices, and holds random candidates against the chosen ones.

``document``, ``folder``, ``measure`` and ``report`` are as in every evaluation.
"""
