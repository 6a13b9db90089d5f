"""The commands and their options. Each command imports its heavy modules itself, so that help is fast."""

from __future__ import annotations

import json as json_format
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from epsilex import __version__
from epsilex.cli import terminal
from epsilex.cli.words import assigned, listed, options

app = typer.Typer(
    help="Symbolic regression by epsilon-lexicase selection: find a formula for your data.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


TEST_SHARE = 0.25


class Preset(StrEnum):
    default = "default"
    paper = "paper"


class ConstantUnits(StrEnum):
    none = "none"
    overall = "overall"
    any = "any"


class Format(StrEnum):
    text = "text"
    latex = "latex"
    python = "python"
    sympy = "sympy"
    c = "c"
    json = "json"
    unicode = "unicode"
    mathml = "mathml"
    excel = "excel"
    julia = "julia"
    r = "r"
    matlab = "matlab"
    fortran = "fortran"
    rust = "rust"
    javascript = "javascript"


class Study(StrEnum):
    table = "table"
    epsilon = "epsilon"
    discussion = "discussion"
    laboratory = "laboratory"


def _selections(incomplete: str) -> list[str]:
    from epsilex.selection import METHODS

    return [id for id in METHODS if id.startswith(incomplete)]


Generations = Annotated[int | None, typer.Option(min=0, help="Generations to search.")]
Population = Annotated[int | None, typer.Option(min=2, help="Individuals in the population.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="The same number gives the same result.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Threads; the result does not depend on it.", show_default="all")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")]


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        print(f"epsilex {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def demo(
    time: Annotated[float | None, typer.Option(min=0.1, help="Seconds to search.", show_default="20")] = None,
    generations: Generations = None,
    population: Population = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("demo"),
    json: AsJson = False,
) -> None:
    """Find a formula for an example, without a file."""
    from epsilex.cli import demonstration, fitting

    est = fitting.estimator(
        seconds=20.0, jobs=jobs, time_limit=time, generations=generations, population_size=population, random_state=seed
    )
    data = demonstration.data()
    command = ["epsilex", "demo", *options(seed=seed, out=out)]
    record = fitting.fit(data, est, out, command, [demonstration.DESCRIPTION])
    demonstration.write(data, out / data.name)
    _tell(record, out, out / data.name, json)


@app.command()
def fit(
    data: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file, also gzipped.")],
    target: Annotated[str, typer.Option(help="Column to find a formula for.")],
    time: Annotated[float | None, typer.Option(min=0.1, help="Seconds to search.", show_default="60")] = None,
    generations: Generations = None,
    selection: Annotated[
        str | None, typer.Option(help="Parent selection, such as lex_e_mad.", autocompletion=_selections)
    ] = None,
    preset: Annotated[Preset, typer.Option(help="The modern engine, or the paper's settings.")] = Preset.default,
    population: Population = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    islands: Annotated[int, typer.Option(min=1, help="Populations that evolve side by side, on processes.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run the islands on.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the files.", show_default="DATA-fit")] = None,
    test_share: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of the rows held back for the test error.")
    ] = TEST_SHARE,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted fit from its folder.")] = False,
    noise: Annotated[
        str, typer.Option(help="auto, additive or relative; or a column of standard errors of the target.")
    ] = "auto",
    guess: Annotated[
        list[str] | None, typer.Option(help="A formula to begin with, such as a*x + b; may be given several times.")
    ] = None,
    units: Annotated[
        str | None, typer.Option(help="header, for names such as v [m/s]; or units such as m=kg,v=m/s.")
    ] = None,
    target_unit: Annotated[str | None, typer.Option(help="Unit of the target, such as J.")] = None,
    constant_units: Annotated[
        ConstantUnits, typer.Option(help="Which constants may carry units.")
    ] = ConstantUnits.none,
    constraint: Annotated[
        list[str] | None,
        typer.Option(help="Such as increasing in x, f >= 0, f(x=0) = 0; may be given several times."),
    ] = None,
    domain: Annotated[
        str | None, typer.Option(help="Ranges over which constraints hold, such as x=0:10,t=-1:1.", show_default="data")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Missing or unusable values are an error.")] = False,
    json: AsJson = False,
) -> None:
    """Find a formula for a column of a table."""
    from epsilex.cli import fitting
    from epsilex.tables import read_table, training_table

    est = fitting.estimator(
        preset, jobs=jobs, time_limit=time, generations=generations, selection=selection, population_size=population,
        random_state=seed, guesses=tuple(guess or ()), constraints=tuple(constraint or ()),
        domain=fitting.domain_of(domain), islands=islands, dask=dask,
    )  # fmt: skip
    frame, sigma = fitting.without_noise(read_table(data), noise, target)
    table = training_table(frame, target, strict)
    est.set_params(noise=noise if sigma is None else sigma[table.rows], constant_units=constant_units.value)
    est.set_params(**fitting.units_of(units, target_unit, target, list(table.X.columns)))
    held_back = fitting.held_back_rows(len(table.y), test_share, seed)
    out = out or Path(f"{data.name.partition('.')[0]}-fit")
    sizes = f"{data}: {len(table.y)} rows, {held_back.sum()} of them held back; {table.X.shape[1]} features"
    news = [sizes, *table.notes]
    if resume and not (out / fitting.CHECKPOINT).exists():
        news.append(f"there is nothing to resume in {out}, the search starts anew")
    command = ["epsilex", "fit", str(data), *options(target=target, selection=selection,
               preset=preset if preset != Preset.default else None, noise=noise if noise != "auto" else None, seed=seed,
               islands=islands if islands > 1 else None,
               test_share=test_share if test_share != TEST_SHARE else None, out=out, units=units, domain=domain,
               target_unit=target_unit, constant_units=constant_units if constant_units != "none" else None),
               *(word for text in guess or () for word in ("--guess", text)),
               *(word for text in constraint or () for word in ("--constraint", text))]  # fmt: skip
    record = fitting.fit(fitting.Data(data.name, target, table, held_back), est, out, command, news, resume)
    _tell(record, out, data, json)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="model.json of a fit.")],
    data: Annotated[Path, typer.Argument(help="Table with the columns of the fit, in any order.")],
    out: Annotated[Path | None, typer.Option(help="CSV file to write.", show_default="standard output")] = None,
    target: Annotated[str | None, typer.Option(help="Column to compare with; the error is reported.")] = None,
    json: AsJson = False,
) -> None:
    """Predict with a fitted model, row by row."""
    from epsilex.cli import predicting

    predicting.predict(model, data, out, target, json)


@app.command()
def show(
    model: Annotated[Path, typer.Argument(help="model.json of a fit.")],
    format: Annotated[Format, typer.Option(help="Notation.")] = Format.text,
) -> None:
    """Show a model's formula in a chosen notation."""
    from epsilex.evolution.observers.progress import printable
    from epsilex.models import load_model
    from epsilex.models.persistence import to_document

    m = load_model(model)
    shown = {
        Format.text: lambda: m.formula,
        Format.latex: m.latex,
        Format.python: m.python,
        Format.sympy: lambda: str(m.sympy()),
        Format.c: m.c,
        Format.json: lambda: json_format.dumps(to_document(m), indent=1),
        Format.unicode: m.unicode,
        Format.mathml: m.mathml,
        Format.excel: m.excel,
    }
    lines = shown.get(format, lambda: m.source(format.value))().rstrip("\n").split("\n")
    print("\n".join(map(printable, lines) if sys.stdout.isatty() else lines))


@app.command()
def studio(
    data: Annotated[
        Path | None, typer.Argument(help="Table to begin with; others can be added in the browser.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port on this machine.", show_default="8731")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, open no browser.")] = False,
    project: Annotated[Path, typer.Option(help="Folder that keeps tables and runs.")] = Path("epsilex-studio"),
    replay: Annotated[str | None, typer.Option(help="Run to repeat by its log, without a browser.")] = None,
) -> None:
    """Watch and steer a search in the browser."""
    try:
        from epsilex.studio import serving
    except ImportError as error:
        raise ValueError(f"studio: expected starlette and uvicorn, `pip install 'epsilex[studio]'`; {error}") from None

    def tell(sentence: str) -> None:
        terminal.note([sentence])

    if replay is None:
        serving.serve(data, project, port, not no_browser, tell)
    elif serving.replay(project, replay, tell):
        print("the same front, bit for bit")
    else:
        print("another front")
        raise typer.Exit(1)


@app.command()
def reproduce(
    problems: Annotated[str | None, typer.Option(help="Such as housing,enh or my.csv:price; all without it.")] = None,
    methods: Annotated[str | None, typer.Option(help="Such as tournament,lex_e(epsilon=0.5); all without it.")] = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Trials per cell of the table.")] = None,
    generations: Annotated[int | None, typer.Option(min=1, help="Generations per trial.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting other than Table 1's, such as crossover=0.9.")
    ] = None,
    study: Annotated[Study | None, typer.Option(help="The results table without it.")] = None,
    out: Annotated[Path, typer.Option(help="Folder; what it holds already is continued.")] = Path("results"),
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="one per processor")] = None,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, instead of processes.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few minutes' version of the same path.")] = False,
    json: AsJson = False,
) -> None:
    """Run the paper's experiments, or continue them."""
    from epsilex import experiments

    done = experiments.reproduce(
        problems=listed(problems), methods=listed(methods), trials=trials, generations=generations,
        settings=assigned(settings or []),
        study=study.value if study else None, out=out, jobs=jobs, dask=dask, quick=quick,
    )  # fmt: skip
    if json:
        told = {"out": str(done.out), "done": done.done, "failed": done.failed, "skipped": done.skipped}
        print(json_format.dumps(told))
    else:
        print(done.table.rstrip("\n") or f"{done.done} trials done")
        terminal.note([f"page: {done.out / 'index.html'}"])
    if done.failed:
        raise typer.Exit(1)


@app.command()
def data(
    name: Annotated[str | None, typer.Argument(help="Problem to fetch the data of; all are listed without it.")] = None,
    all: Annotated[bool, typer.Option("--all", help="Fetch the data of all problems.")] = False,
) -> None:
    """List the problems and where their data is, or fetch data."""
    from epsilex.cli import data

    if name and all:
        raise typer.BadParameter(f"expected a problem or --all; got {name} and --all")
    if name:
        data.show(name)
    elif all:
        raise typer.Exit(data.fetch_all())
    else:
        data.show_list()


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a fit, or of the paper's experiments.")],
    keep: Annotated[
        Path | None, typer.Option(help="Folder for a compact copy of the experiments' rows and its report.")
    ] = None,
) -> None:
    """Rewrite the report of a folder."""
    from epsilex.files import write_file
    from epsilex.report import FILE, load_fit, render

    if (folder / "results.sqlite").is_file() or (folder / "rows").is_dir():
        from epsilex import experiments

        if keep is None:
            experiments.report(folder)
        else:
            experiments.keep(folder, keep)
        print((keep or folder) / "index.html")
    elif (folder / FILE).is_file():
        write_file(folder / "report.html", render(load_fit(folder / FILE)))
        print(folder / "report.html")
    else:
        raise ValueError(f"{folder}: expected a folder with results.sqlite, rows or {FILE}; it has none")


def _tell(record: Any, out: Path, data: Path, json: bool) -> None:
    """Results to standard output."""
    from epsilex.cli import results
    from epsilex.cli.fitting import FILES

    files = [str(out / name) for name in FILES]
    if json:
        print(results.as_json(record, files))
    else:
        results.show(record, files, shlex.join(["epsilex", "predict", str(out / "model.json"), str(data)]))
