"""Small projects of the studio for tests: a table, a spec, a run in this process."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from epsilex.studio.project import Project, append_line, read_json

COLUMNS = ["length", "mass", "angle", "period"]


def pendulums(n: int = 60) -> bytes:
    """A table of simulated pendulums, in which the mass does not matter."""
    rng = np.random.default_rng(0)
    length, mass, angle = rng.uniform(0.2, 2, n), rng.uniform(0.1, 1, n), rng.uniform(0.05, 1.2, n)
    period = 2 * np.pi * np.sqrt(length / 9.81) * (1 + np.sin(angle / 2) ** 2 / 4) + rng.normal(0, 0.005, n)
    rows = zip(length, mass, angle, period, strict=True)
    lines = [",".join(COLUMNS), *(",".join(f"{value:.5f}" for value in row) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def asked(**changes) -> dict:
    """What a browser asks for: a short search with few programs."""
    return {"target": "period", "generations": 12, "population": 60, "max_length": 9, "seconds": 3600} | changes


def decays() -> bytes:
    """A table of four samples that decay alike, from different beginnings."""
    rng = np.random.default_rng(1)
    lines = ["sample,t,y"]
    for sample, start in zip(("A", "B", "C", "D"), (9.0, 6.0, 4.0, 2.0), strict=True):
        for t in np.linspace(0, 5, 12):
            lines.append(f"{sample},{t:.4f},{start * np.exp(-0.5 * t) + rng.normal(0, 0.02):.5f}")
    return ("\n".join(lines) + "\n").encode()


def new_run(project: Project, file: tuple[str, bytes] | None = None, **changes) -> str:
    """A run of a table, by its name and content; that of pendulums unless another is given."""
    from epsilex.studio.specs import checked

    name, content = file or ("pendulum.csv", pendulums())
    columns = content.split(b"\n", 1)[0].decode().split(",")
    spec = checked(asked(**changes), columns) | {"table": project.add_table(name, content)}
    return project.add_run(spec | {key: value for key, value in changes.items() if key not in spec})


def work(project: Project, id: str) -> dict:
    """Run a run in this process; returns its last snapshot."""
    from epsilex.studio import worker

    worker.work(project, id)
    return read_json(project.run(id) / "snapshot.json")


def ask(project: Project, id: str, **act) -> None:
    append_line(project.run(id) / "acts.jsonl", act)


def new_project(folder: Path) -> Project:
    return Project(folder / "project")
