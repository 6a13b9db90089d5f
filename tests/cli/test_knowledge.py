"""What a user knows already, on the command line."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from command import QUICK, epsilex, refused, some_rows


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.csv"
    some_rows().to_csv(path, index=False)
    return path


def test_guesses_are_tuned_and_stay_in_the_command(table, tmp_path):
    guesses = ("--guess", "a*x + b*z", "--guess", "c*sin(w*x)^2 + 2*z")
    done = epsilex("fit", table, "--target", "y", *guesses, *QUICK, "--out", tmp_path / "fit", "--json")
    assert done.code == 0, done.err
    front = pd.read_csv(tmp_path / "fit" / "front.csv")
    assert front["r2"].max() > 0.6
    command = json.loads((tmp_path / "fit" / "fit.json").read_text())["command"]
    assert "--guess 'a*x + b*z'" in command


@pytest.mark.parametrize(
    ("guess", "said"),
    [("a*foo(x)", "guesses: expected a function among"), ("a*(x", "guesses: expected ')'"), ("", "got an empty text")],
)
def test_a_bad_guess_is_one_line(table, tmp_path, guess, said):
    done = epsilex("fit", table, "--target", "y", "--guess", guess, *QUICK, "--out", tmp_path / "fit")
    assert said in refused(done)
    assert not (tmp_path / "fit").exists()


@pytest.mark.parametrize("units", ["x=m,z=m", "header"])
def test_units(tmp_path, units):
    table = some_rows()[["x", "z", "y"]]
    if units == "header":
        table = table.rename(columns={name: f"{name} [m]" for name in table})
    table.to_csv(tmp_path / "rows.csv", index=False)
    target, known = ("y [m]", ()) if units == "header" else ("y", ("--target-unit", "m"))
    done = epsilex(
        "fit", tmp_path / "rows.csv", "--target", target, "--units", units, *known, *QUICK, "--out", tmp_path / "fit"
    )
    assert done.code == 0, done.err
    command = json.loads((tmp_path / "fit" / "fit.json").read_text())["command"]
    assert f"--units {units}" in command


def test_constants_with_units_are_told(tmp_path):
    rng = np.random.default_rng(0)
    t = rng.uniform(0.1, 3.0, 25)
    rows = pd.DataFrame({"t": t, "h": 4.905 * t**2 + 0.1 * rng.normal(size=25)})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    units = ("--units", "t=s", "--target-unit", "m", "--constant-units", "overall")
    done = epsilex("fit", tmp_path / "rows.csv", "--target", "h", *units, *QUICK, "--out", tmp_path / "fit")
    assert done.code == 0, done.err
    assert re.search(r"constants +4\.\d+ ± 0\.0\d+ m/s\^2", done.out), done.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--units", "x=m", "--target-unit", "m"), "none for 'z'"),
        (("--units", "x=m,z=m"), "target_unit: expected the unit of the target"),
        (("--units", "x=m,z=furlongz", "--target-unit", "m"), "units: column 'z': expected a unit that pint knows"),
        (("--units", "metre", "--target-unit", "m"), "units: expected header, or units such as m=kg,v=m/s"),
        (("--units", "x=m,z=m", "--target-unit", "kg"), "no column has mass"),
        (("--target-unit", "kg"), "target_unit: expected together with units"),
    ],
)
def test_bad_units_are_one_line(table, tmp_path, options, said):
    done = epsilex("fit", table, "--target", "y", *options, *QUICK, "--out", tmp_path / "fit")
    assert said in refused(done)
    assert not (tmp_path / "fit").exists()


def test_constraints(table, tmp_path):
    options = ("--constraint", "increasing in x", "--constraint", "increasing in z", "--domain", "x=-9:9,z=-9:9")
    done = epsilex("fit", table, "--target", "y", *options, *QUICK, "--out", tmp_path / "fit")
    assert done.code == 0, done.err
    assert set(pd.read_csv(tmp_path / "fit" / "front.csv")["shape"]) <= {"proven", "checked"}
    assert "--constraint 'increasing in z'" in json.loads((tmp_path / "fit" / "fit.json").read_text())["command"]


@pytest.mark.parametrize("text", ["rising in x", "increasing in q", "f >= much"])
def test_a_bad_constraint_is_one_line(table, tmp_path, text):
    done = epsilex("fit", table, "--target", "y", "--constraint", text, *QUICK, "--out", tmp_path / "fit")
    assert "constraints: expected" in refused(done)
    assert not (tmp_path / "fit").exists()


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        ("x", "expected ranges such as"),
        ("x=1", "expected ranges"),
        ("q=0:1", "got 'q'"),
        ("x=1:0", "a pair (low, high)"),
    ],
)
def test_a_bad_domain_is_one_line(table, tmp_path, domain, said):
    known = ("--constraint", "f >= -99", "--domain", domain)
    assert said in refused(epsilex("fit", table, "--target", "y", *known, *QUICK, "--out", tmp_path / "fit"))


def test_a_form(table, tmp_path):
    form = "f(x) + c*g(z)"
    done = epsilex("fit", table, "--target", "y", "--form", form, *QUICK, "--out", tmp_path / "fit", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert set(told["functions"]) == {"f", "g"}
    shown = epsilex("show", tmp_path / "fit" / "model.json").out
    assert "\nf(x) = " in shown
    assert "\nc = " in shown
    page = (tmp_path / "fit" / "report.html").read_text()
    assert "<code>f(x) = " in page
    assert f"--form '{form}'" in json.loads((tmp_path / "fit" / "fit.json").read_text())["command"]
    predicted = epsilex("predict", tmp_path / "fit" / "model.json", table)
    assert predicted.code == 0, predicted.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--form", "f(x"), "form: expected ')' to close this bracket; got the end (at character 2)"),
        (("--form", "f(x) + f(x, z)"), "form: expected 1 argument of f, as before; got 2 (at character 8)"),
        (("--form", "x*z"), "form: expected an unknown function"),
        (("--form", "f(q)"), "in this argument of f; got 'q' (at character 3)"),
        (("--form", "f(x)", "--guess", "a*x"), "form: expected no guesses beside it"),
    ],
)
def test_a_bad_form_is_one_line(table, tmp_path, options, said):
    done = epsilex("fit", table, "--target", "y", *options, *QUICK, "--out", tmp_path / "fit")
    assert said in refused(done)
    assert not (tmp_path / "fit").exists()


@pytest.fixture
def springs(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"F": rng.uniform(1, 9, 40), "spring": np.repeat([1, 2, 3, 4], 10)})
    frame["x"] = frame["F"] * frame["spring"] * 0.37 + rng.normal(scale=0.02, size=40)
    frame.to_csv(tmp_path / "springs.csv", index=False)
    return tmp_path / "springs.csv"


def test_groups(springs, tmp_path):
    folder = tmp_path / "fit"
    done = epsilex("fit", springs, "--target", "x", "--groups", "spring", *QUICK, "--out", folder)
    assert done.code == 0, done.err
    assert "x = F*a[spring]" in done.out
    assert "a[spring]" in done.out.splitlines()[-6] or "1 0.37" in done.out
    assert "--groups spring" in json.loads((folder / "fit.json").read_text())["command"]
    page = (folder / "report.html").read_text()
    assert "Constants of each spring" in page
    # All formulas have own constants, so tables are in the order of the front.
    place = pd.read_csv(folder / "front.csv")["formula"].tolist().index("F*a[spring]")
    own = page.split('class="constants own"')[1 + place]
    found = dict(re.findall(r'<th scope="row" class="left">(\d)</th><td>([\d.]+)</td>', own))
    assert {label: float(value) for label, value in found.items()} == pytest.approx(
        {str(k): 0.37 * k for k in (1, 2, 3, 4)}, abs=0.02
    )
    predicted = epsilex("predict", folder, springs, "--target", "x")
    assert predicted.code == 0, predicted.err
    assert len(predicted.out.splitlines()) == 41
    assert epsilex("show", folder).out.strip() == "F*a[spring]"
    assert "double predict" in epsilex("show", folder, "--format", "c", "--group", "2").out
    assert "expected the formula of one group" in refused(epsilex("show", folder, "--format", "c"))
    assert epsilex("report", folder).code == 0
    table = pd.read_csv(springs)
    table.assign(spring=7).to_csv(tmp_path / "new.csv", index=False)
    assert "expected a group that was fitted, '1', '2', '3', '4'; got '7'" in refused(
        epsilex("predict", folder, tmp_path / "new.csv")
    )
    table.drop(columns="spring").to_csv(tmp_path / "none.csv", index=False)
    assert "expected the column of groups, 'spring'" in refused(epsilex("predict", folder, tmp_path / "none.csv"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--groups", "coil"), "groups: expected one of the columns 'F', 'spring'; got 'coil'"),
        (("--groups", "F"), "groups: expected at least 2 rows in each; got 1 in"),
        (("--groups", "spring", "--per-group", "k"), "per_group: expected names of constants in the guesses; got 'k'"),
        (("--nesting", "sin"), "nesting: expected functions such as sin=sin cos,exp=exp; got 'sin'"),
        (("--nesting", "sinus=cos"), "nesting: expected names among"),
        (("--costs", "sin=many"), "costs: expected whole numbers such as sin=3,exp=2; got 'sin=many'"),
        (("--costs", "sinus=3"), "costs: expected names among"),
        (("--costs", "sin=0"), "costs: expected an integer of at least 1; got 0"),
        (("--required", "G"), "required: expected columns among 'F', 'spring'; got 'G'"),
        (("--forbidden", "F,spring"), "forbidden: expected that some columns are left; got all of them"),
    ],
)
def test_bad_groups_and_limits_are_one_line(springs, tmp_path, options, said):
    done = epsilex("fit", springs, "--target", "x", *options, *QUICK, "--out", tmp_path / "fit")
    assert said in refused(done)


def test_limits_of_structure(table, tmp_path):
    limits = ("--nesting", "sin=sin cos,exp=exp", "--costs", "sin=3", "--whole-exponents", "--forbidden", "z")
    done = epsilex("fit", table, "--target", "y", *limits, *QUICK, "--out", tmp_path / "fit")
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "fit" / "fit.json").read_text())
    for word in ("--nesting 'sin=sin cos,exp=exp'", "--costs sin=3", "--whole-exponents", "--forbidden z"):
        assert word in record["command"]
    assert record["settings"]["forbidden"] == "z"
    assert all(node[1] != 1 for m in record["models"] for node in m["program"] if node[0] == "feature")
