"""The selection laboratory: all methods on one bench, with the paper's settings and inside the modern engine.

Three arms: `laboratory` (Table 1), `laboratory_evaluations` and `laboratory_time` (the modern engine, with as many
programs run for every method, or as much time). Every method is compared with the paper's Lex eps_e-lambda and with
tournament selection, trial by trial on the same partitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from epsilex import selection
from epsilex.experiments import comparisons, discussion, measures, tables
from epsilex.experiments.methods import arrange
from epsilex.experiments.results import Results

REFERENCE, BASELINE = "lex_e_mad", "tournament"
WITH_OPTIONS = (
    "tournament(downsample=0.1)",
    "tournament(downsample=0.1, informed=True)",
    "lex_e_mad(downsample=0.1)",
    "lex_semi(downsample=0.1, informed=True)",
    "lex_e_mad(complexity='shuffled')",
    "bts(shuffle=True)",
    "nsga2(cases=5)",
)
METHODS = (*selection.METHODS, *WITH_OPTIONS)
TITLES = {
    "laboratory": "The paper's settings",
    "laboratory_evaluations": "The modern engine, equal evaluations",
    "laboratory_time": "The modern engine, equal time",
}
HEAD = (
    "Mean rank", "95% interval", f"vs {REFERENCE}", f"vs {BASELINE}", "CPU s", "Selection", "Cases", "Diversity",
    "Length",
)  # fmt: skip


def write(arms: Mapping[str, Results], out: Path) -> None:
    """laboratory.md, laboratory.tex, and the rows as Parquet if pyarrow is here."""
    (out / "laboratory.md").write_text(markdown(arms), encoding="utf-8")
    (out / "laboratory.tex").write_text(latex(arms), encoding="utf-8")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return
    joined = {name: pd.concat([getattr(rows, name).assign(arm=arm) for arm, rows in arms.items()])
              for name in ("trials", "history")}  # fmt: skip
    for name, rows in joined.items():
        rows.reset_index(drop=True).to_parquet(out / f"laboratory_{name}.parquet", index=False)


def markdown(arms: Mapping[str, Results]) -> str:
    """A summary in words, then a table per arm."""
    parts = []
    for arm, results in arms.items():
        problems, body = _body(results)
        lines = [
            ["Method", *map(results.title, problems), *HEAD],
            ["---", *["---:"] * (len(problems) + len(HEAD))],
            *body,
        ]
        grid = "\n".join(f"| {' | '.join(tables.plain(text) for text in line)} |" for line in lines)
        parts += [f"## {TITLES[arm]}", summary(results), grid, caption(results)]
    return "\n\n".join(parts) + "\n"


def arm(study: str, results: Results) -> dict[str, Any]:
    """One arm as the page shows it."""
    problems, body = _body(results)
    head = ["Method", *map(results.title, problems), *HEAD]
    return {
        "title": TITLES[study],
        "head": head,
        "body": body,
        "summary": summary(results).replace("`", "").split("\n- "),
    }


def caption(results: Results) -> str:
    trials = int(results.trials.groupby(["problem", "method"]).size().max())
    return (
        f"Median test MAE over {trials} trials. Mean rank over the problems, with a bootstrap interval over trials. "
        "Against a method: chances of being better, practically equal "
        f"(within {comparisons.ROPE:.0%} of its median) and worse, over all paired trials. Selection: its share of the "
        "time. Cases: mean share of the cases that a selection event used. Diversity: distinct outputs in the last "
        "population; length: its mean."
    )


def summary(results: Results) -> str:
    """Which differences are real, in plain words."""
    trials = int(results.trials.groupby(["problem", "method"]).size().min())
    if trials < measures.FEWEST:
        return f"- Nothing can be said of {trials} trials per method and problem: there must be {measures.FEWEST}."
    lines = []
    for reference in (REFERENCE, BASELINE):
        if reference not in set(results.trials["method"]):
            continue
        found = measures.chances(results.trials, reference)
        words = {word: [m for m, row in found.iterrows() if _verdict(row) == word] for word in WORDS}
        told = [f"{WORDS[word]}: {', '.join(f'`{m}`' for m in members)}" for word, members in words.items() if members]
        lines.append(
            f"- Against `{reference}`, with {discussion.SURE:.0%} probability: {'; '.join(told) or 'nothing'}."
        )
    best = measures.ranks(results.trials).sort_values("rank")
    near = best.index[best["low"] <= best["high"].iloc[0]]
    lines.append(
        f"- Best mean rank: `{best.index[0]}`, {best['rank'].iloc[0]:.1f}. The intervals of {len(near) - 1} others "
        f"overlap its own{': ' if len(near) > 1 else ''}{', '.join(f'`{m}`' for m in near[1:])}."
    )
    return "\n".join(lines)


WORDS = {
    discussion.HELPS: "better",
    discussion.ALIKE: "practically equal",
    discussion.HURTS: "worse",
    discussion.OPEN: "undecided",
}


def _verdict(row: pd.Series) -> str | None:
    """As in the discussion; None for the reference itself."""
    if row.isna().all():
        return None
    for column, word in (("above", discussion.HELPS), ("below", discussion.HURTS), ("inside", discussion.ALIKE)):
        if row[column] >= discussion.SURE:
            return word
    return discussion.OPEN


def latex(arms: Mapping[str, Results]) -> str:
    """One tabular per arm."""
    parts = []
    for arm, results in arms.items():
        problems, body = _body(results, math=True)
        head = ["Method", *map(results.title, problems), *HEAD]
        rows = [" & ".join(tables.escaped(text) for text in line) + r" \\" for line in body]
        parts += [
            f"% {TITLES[arm]}",
            r"\begin{tabular}{l" + "r" * (len(head) - 1) + "}",
            r"\toprule",
            " & ".join(tables.escaped(text) for text in head) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    return "\n".join(parts)


def _body(results: Results, math: bool = False) -> tuple[list[str], list[list[str]]]:
    """The problems, and one row of texts per method, best rank first; with `math` labels between dollar signs."""
    problems, trials = results.problem_names, results.trials
    reference = REFERENCE if REFERENCE in set(trials["method"]) else str(trials["method"].iloc[0])
    found = measures.table(results, reference)
    against = measures.chances(trials, BASELINE) if BASELINE in set(trials["method"]) else None
    medians = trials.groupby(["method", "problem"])["test_mae"].median()
    labels = {method.id: method.math if math else method.label for method in arrange(list(found.index))}
    body = []
    for method, row in found.iterrows():
        values = [_number(medians.get((method, name)), ".3f") for name in problems]
        rest = [
            f"{row['rank']:.1f}", _interval(row), _chances(row),
            _chances(against.loc[method]) if against is not None else "", _number(row["seconds"], ".1f"),
            _number(row["share"], ".0%"), _number(row["cases"], ".1%"), _number(row["diversity"], ".0%"),
            _number(row["length"], ".0f"),
        ]  # fmt: skip
        body.append([labels[str(method)], *values, *rest])
    return problems, body


def _interval(row: pd.Series) -> str:
    return "" if pd.isna(row["low"]) else f"{row['low']:.1f} to {row['high']:.1f}"


def _chances(row: pd.Series) -> str:
    return "" if row["above":"below"].isna().any() else f"{row['above']:.2f}, {row['inside']:.2f}, {row['below']:.2f}"


def _number(value: float | None, form: str) -> str:
    return "" if value is None or pd.isna(value) else format(value, form)
