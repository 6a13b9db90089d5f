"""Claims in the letters of Table 2: which method is significantly better than which, and where."""

from __future__ import annotations

from epsilex.experiments import published
from epsilex.experiments.claims.claim import HOLDS, INCONCLUSIVE, Claim, Found, Outcome, counted, told, within
from epsilex.experiments.claims.held_out import is_better, over_problems
from epsilex.experiments.claims.rows import ALL, EPSILON, LABELS, TITLES, Rows
from epsilex.experiments.methods import PAPER

RULE = "The paper's test; without significance and with fewer trials than the paper's 30, undecided."
LETTERS = {method.id: method.letter for method in PAPER}


def _on(method: str, others: tuple[str, ...], problems: tuple[str, ...]) -> Claim:
    """A claim on named problems, each of which counts."""

    def judge(rows: Rows) -> Found:
        outcomes = {
            f"{TITLES[problem]} against {LABELS[other]}": is_better(rows, problem, method, other)
            for problem in problems
            for other in others
        }
        return counted(outcomes), told(outcomes, ("significant", "not", "undecided"))

    names, where = " and ".join(LABELS[o] for o in others), ", ".join(TITLES[problem] for problem in problems)
    return Claim(
        f"{method}_over_{'_'.join(others)}_on_{'_'.join(problems)}",
        f"{LABELS[method]} is significantly better than {names} on {where}.",
        "Table 2, letters " + "".join(LETTERS[other] for other in others),
        RULE,
        judge,
        methods=ALL,
        problems=problems,
    )


def _everywhere(id: str, better: tuple[str, ...], others: tuple[str, ...]) -> Claim:
    """A claim on all problems."""

    def outcome(rows: Rows, problem: str) -> Outcome:
        found = [is_better(rows, problem, method, other) for method in better for other in others]
        return False if False in found else None if None in found else True

    methods, names = (" and ".join(LABELS[name] for name in group) for group in (better, others))
    verb = "are each" if len(better) > 1 else "is"
    return Claim(
        id,
        f"{methods} {verb} significantly better than {names} on 6 of 6 problems.",
        "Table 2, letters " + "".join(LETTERS[other] for other in others),
        RULE,
        lambda rows: over_problems(rows, outcome),
        methods=ALL,
    )


def _agreement(rows: Rows) -> Found:
    """The number of ordered pairs, over all problems, that the paper and we mark alike."""
    theirs = published.letters()
    alike, pairs = 0, 0
    for (problem, method, other), pair in rows.pairs.iterrows():
        if problem in rows.problems:
            alike += bool(pair["better"]) == (LETTERS[other] in theirs.loc[method, problem])
            pairs += 1
    share = alike / pairs
    verdict = within((share, share), (0.9, 1.0), (0.75, 1.0))
    fewer = min(rows.size(problem, *ALL) for problem in rows.problems) < published.TRIALS
    told = f"{alike} of {pairs} ordered pairs marked alike"
    return INCONCLUSIVE if fewer and verdict != HOLDS else verdict, told


CLAIMS = (
    Claim(
        "letters",
        "The letters of Table 2 mark which method is significantly better than which.",
        "Table 2",
        "Ordered pairs marked alike: 90% holds, 75% in part; less with fewer than 30 trials is undecided. "
        "Marks at random in the paper's proportion agree on 52%.",
        _agreement,
        methods=ALL,
        whole=True,
    ),
    _everywhere("epsilon_over_random", EPSILON, ("random",)),
    _everywhere("tournament_over_random", ("tournament",), ("random",)),
    _everywhere("afp_over_baselines", ("afp",), ("random", "tournament", "lex")),
    _on("lex", ("random",), ("housing", "tower", "enh", "enc")),
    _on("random", ("lex",), ("uball5d",)),
    _on("tournament", ("lex",), ("uball5d",)),
    _on("tournament", ("lex",), ("wind",)),
    _on("lex", ("tournament",), ("tower",)),
    _on("afp", ("lex_e",), ("enh", "enc")),
    _on("lex_y", ("afp",), ("tower", "enh", "enc", "uball5d")),
    _on("lex_y", ("lex_e",), ("housing", "enh", "enc", "uball5d")),
    _on("lex_e", ("afp",), ("tower", "uball5d")),
    _on("lex_y_mad", ("lex_y",), ("enh",)),
    _on("lex_e_mad", ("lex_y_mad",), ("uball5d",)),
    _on("lex_e_mad", ("lex_y", "lex_e"), ("wind",)),
)
