"""The paper's table from our rows: Markdown, LaTeX and CSV, in the paper's layout."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from epsilex.experiments import comparisons, statistics, verdicts
from epsilex.experiments.methods import Method
from epsilex.experiments.progress import duration
from epsilex.experiments.results import Results


@dataclass(frozen=True)
class ResultsTable:
    """The content of the table.

    cells        of `verdicts.cells`, indexed by (problem, method)
    mean_ranks   over the problems with the paper's data
    all_ranks    over all problems; None if no data is rebuilt
    comparisons  of `comparisons.adaptive`
    """

    methods: list[Method]
    problems: list[str]
    titles: dict[str, str]
    cells: pd.DataFrame
    letters: dict[tuple[str, str], str]
    mean_ranks: pd.Series
    all_ranks: pd.Series | None
    comparisons: pd.DataFrame
    times: pd.DataFrame
    trials: int
    generations: int
    notes: list[str]

    def median(self, problem: str, method: str) -> float | None:
        key = problem, method
        return float(self.cells.loc[key, "median"]) if key in self.cells.index else None

    def is_best(self, problem: str, method: str) -> bool:
        return self.median(problem, method) == self.cells.loc[problem, "median"].min()

    def is_best_rank(self, method: str) -> bool:
        return self.mean_ranks.get(method) == self.mean_ranks.min()

    def counts(self, rebuilt: bool) -> dict[str, int]:
        """Cells by verdict, for the problems with rebuilt data or for the others, without empty verdicts."""
        found = self.cells.loc[self.cells["rebuilt"] == rebuilt, "verdict"].value_counts()
        return {verdict: int(found[verdict]) for verdict in verdicts.VERDICTS if verdict in found}

    @property
    def rebuilt(self) -> list[str]:
        """Titles of the problems with rebuilt data."""
        marked = set(self.cells.index[self.cells["rebuilt"]].get_level_values("problem"))
        return [self.titles[name] for name in self.problems if name in marked]


def make(results: Results) -> ResultsTable:
    """The table of a study's rows."""
    rows = results.trials
    methods, problems = results.methods, results.problem_names
    rebuilt = statistics.rebuilt(results.problems)
    medians = statistics.medians(rows)
    counted = statistics.counted_medians(medians, rebuilt)
    return ResultsTable(
        methods=methods,
        problems=problems,
        titles={name: results.title(name) for name in problems},
        cells=verdicts.cells(rows, rebuilt).set_index(["problem", "method"]).sort_index(),
        letters=statistics.letters(statistics.pairwise(rows), {method.id: method.letter for method in methods}),
        mean_ranks=statistics.mean_ranks(counted),
        all_ranks=statistics.mean_ranks(medians) if counted.shape != medians.shape else None,
        comparisons=comparisons.adaptive(rows, rebuilt),
        times=statistics.times(rows),
        trials=int(rows.groupby(["problem", "method"]).size().max()),
        generations=int(results.run["generations"]),
        notes=[f"{results.title(name)}: {note}" for name in problems for note in results.problems.loc[name, "notes"]],
    )


CAPTION = (
    "Median best-of-run MAE on the test sets over {trials} trials{fewer} of {generations} generations. Letters: "
    "significantly better than the method of that letter (p < 0.05, pairwise Wilcoxon rank-sum test, Holm "
    "correction). Best in bold. Mean rank over the problems{apart}, ties shared. Time: median over the problems of the "
    "CPU time for {trials} trials (h:mm:ss), and its ratio to tournament's. UBall5D in raw units, the others in "
    "standard deviations of the target."
)


def caption(table: ResultsTable) -> str:
    counts = table.cells["trials"].groupby("problem").max()
    few = [f"{table.titles[name]} {counts[name]}" for name in table.problems if counts[name] < table.trials]
    fewer = f" ({', '.join(few)})" if few else ""
    names = ", ".join(table.rebuilt)
    apart = f" other than {names}, whose data is rebuilt; in brackets over all" if table.all_ranks is not None else ""
    return CAPTION.format(trials=table.trials, fewer=fewer, generations=table.generations, apart=apart)


def markdown(table: ResultsTable) -> str:
    """The table, followed by a comparison of our values with the published ones."""
    head = ["Method", *(table.titles[name] for name in table.problems), "Mean rank", "Time", "x Tourn"]
    body = []
    for method in table.methods:
        values = [_cell(table, name, method.id, "**{}**", "{text} <sup>{marks}</sup>") for name in table.problems]
        rank = _number(table.mean_ranks.get(method.id), 2)
        total, ratio = table.times.loc[method.id]
        best = (f"**{rank}**" if table.is_best_rank(method.id) else rank) + _in_brackets(table, method.id)
        body.append([f"<sup>{method.letter}</sup> {method.label}", *values, best, duration(total), _number(ratio, 2)])
    notes = "\n".join(f"- {note}" for note in table.notes)
    parts = [grid(head, body), caption(table), notes, "## Beside the published values", _comparison(table)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(table: ResultsTable, problem: str, method: str, best: str, marked: str) -> str:
    """A median with its marks; `best` is the form of the best value, `marked` that of a text with marks."""
    value = table.median(problem, method)
    if value is None:
        return ""
    text = best.format(f"{value:.3f}") if table.is_best(problem, method) else f"{value:.3f}"
    marks = table.letters.get((problem, method), "")
    return marked.format(text=text, marks=marks) if marks else text


def _in_brackets(table: ResultsTable, method: str) -> str:
    """The rank over all problems, if some data is rebuilt."""
    return "" if table.all_ranks is None else f" ({_number(table.all_ranks.get(method), 2)})"


def _comparison(table: ResultsTable) -> str:
    head = ["Problem", "Method", "Published", "Ours", "95% interval", "Ours / published", "Trials", "Verdict"]
    body = []
    for problem in table.problems:
        for method in table.methods:
            if (problem, method.id) in table.cells.index:
                cell = table.cells.loc[problem, method.id]
                interval = "" if pd.isna(cell["low"]) else f"{cell['low']:.3f} to {cell['high']:.3f}"
                values = [_number(cell["published"], 3), f"{cell['median']:.3f}", interval, _number(cell["ratio"], 2)]
                body.append([table.titles[problem], method.label, *values, str(cell["trials"]), cell["verdict"]])
    return grid(head, body)


def grid(head: list[str], body: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(plain(text) for text in line)} |" for line in lines)


def plain(text: str) -> str:
    """Text with Markdown escaped; only our superscripts stay markup."""
    text = text.replace("|", "&#124;").replace("<", "&lt;")
    return text.replace("&lt;sup>", "<sup>").replace("&lt;/sup>", "</sup>")


def _number(value: float | None, digits: int) -> str:
    return "" if value is None or pd.isna(value) else f"{value:.{digits}f}"


def latex(table: ResultsTable) -> str:
    r"""A `tabular` for `\input`; it needs only the package booktabs."""
    columns = "l" + "r" * len(table.problems) + "rrr"
    head = ["Method", *(table.titles[name] for name in table.problems), "Mean rank", "Time", r"$\times$ Tourn"]
    lines = [f"% {caption(table)}".replace("\n", " "), rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [" & ".join(escaped(text) for text in head) + r" \\", r"\midrule"]
    for method in table.methods:
        values = [_cell(table, name, method.id, r"\textbf{{{}}}", "$^{{{marks}}}$ {text}") for name in table.problems]
        rank = _number(table.mean_ranks.get(method.id), 2)
        total, ratio = table.times.loc[method.id]
        best = (rf"\textbf{{{rank}}}" if table.is_best_rank(method.id) else rank) + _in_brackets(table, method.id)
        line = [f"$^{{{method.letter}}}${escaped(method.math)}", *values, best, duration(total), _number(ratio, 2)]
        lines.append(" & ".join(line) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def escaped(text: str) -> str:
    """Text escaped for LaTeX, except between dollar signs."""
    return text if "$" in text else "".join(rf"\{letter}" if letter in "_&%#{}" else letter for letter in text)


def csv(table: ResultsTable) -> str:
    """The table as numbers: one row per method, with letters in separate columns."""
    lines = []
    for method in table.methods:
        line: dict[str, object] = {"letter": method.letter, "method": method.id, "label": method.label}
        for problem in table.problems:
            line[problem] = table.median(problem, method.id)
            line[f"{problem}_letters"] = table.letters.get((problem, method.id), "")
        line["mean_rank"] = table.mean_ranks.get(method.id)
        if table.all_ranks is not None:
            line["mean_rank_all"] = table.all_ranks.get(method.id)
        line["seconds"], line["time_ratio"] = table.times.loc[method.id]
        lines.append(line)
    return pd.DataFrame(lines).to_csv(index=False, float_format="%.6g")
