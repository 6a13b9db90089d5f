"""Laws of physics, chemistry, biology, engineering and economics, as a scientist would bring them: few noisy rows.

A law is a formula text over its inputs and its constants. Ranges have the magnitudes of usual units. Noise is additive
(a share of the standard deviation of the law's values) or relative (a share of each value).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE
from epsilex.programs.parser import parse

Range = tuple[float, float]
FRESH = 2000  # rows on which a formula is compared with the law
REPEATS = 20  # simulated fits of the law's constants


@dataclass(frozen=True)
class Law:
    """A formula, its inputs and constants, and how it is measured.

    inputs    names and ranges; values are drawn uniformly, or uniformly in the logarithm where the range is `log`
    ignored   names and ranges of columns that do not matter
    noise     "additive" or "relative", and its share
    data      rows that are not drawn: a table of inputs and target, for a law with real data
    """

    name: str
    text: str
    inputs: dict[str, Range]
    rows: int
    noise: tuple[str, float]
    constants: dict[str, float] = field(default_factory=dict)
    log: tuple[str, ...] = ()
    ignored: dict[str, Range] = field(default_factory=dict)
    data: tuple[tuple[float, ...], ...] = ()

    @property
    def columns(self) -> list[str]:
        return [*self.inputs, *self.ignored]

    @property
    def nodes(self) -> list[Node]:
        """The law as a program over its columns, its constants as numbers."""
        return self.program(list(self.constants.values()))

    def program(self, values: Sequence[float]) -> list[Node]:
        """The same with these constants."""
        names, first = [*self.columns, *self.constants], len(self.columns)
        return simplify(
            (CONSTANT, 0, values[feature - first] * value) if code == FEATURE and feature >= first
            else (code, feature, value)
            for code, feature, value in parse(self.text, names)
        )  # fmt: skip

    def values(self, X: np.ndarray, constants: np.ndarray | None = None) -> np.ndarray:
        """(rows,) of the law for X (rows, columns), with other constants if given."""
        theta = np.array(list(self.constants.values())) if constants is None else constants
        whole = np.column_stack([X, np.broadcast_to(theta, (len(X), len(theta)))])
        return evaluate64(parse(self.text, [*self.columns, *self.constants]), whole)

    def draw(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """X (rows, columns)."""
        columns = []
        for name, (low, high) in (self.inputs | self.ignored).items():
            if name in self.log:
                columns.append(np.exp(rng.uniform(np.log(low), np.log(high), rows)))
            else:
                columns.append(rng.uniform(low, high, rows))
        return np.column_stack(columns)

    def sigma(self, X: np.ndarray) -> np.ndarray:
        """(rows,) standard deviations of the noise."""
        kind, share = self.noise
        clean = self.values(X)
        if kind == "relative":
            return share * np.abs(clean)
        values = self.values(self.draw(FRESH, np.random.default_rng(0)))
        return np.full(len(X), share * (values.std() if np.ptp(values) > 0.0 else 1.0))

    def measured(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """X and y, as the experiment of this seed gives them."""
        if self.data:
            table = np.array(self.data)
            return table[:, :-1], table[:, -1]
        rng = np.random.default_rng([seed, sum(map(ord, self.name))])
        X = self.draw(self.rows, rng)
        return X, self.values(X) + self.sigma(X) * rng.normal(size=len(X))

    def fresh(self) -> np.ndarray:
        """Rows to compare on."""
        return self.draw(FRESH, np.random.default_rng(12345))

    def fitted_error(self, seed: int) -> float:
        """Root of the mean squared error on fresh rows that fitting the law's constants leaves, over simulated fits."""
        from scipy.optimize import least_squares

        X, rng, fresh = self.measured(seed)[0], np.random.default_rng(seed + 1), self.fresh()
        sigma, clean, truth = self.sigma(X), self.values(X), self.values(fresh)
        theta = np.array(list(self.constants.values()))
        squares = []
        for _ in range(REPEATS if len(theta) else 0):
            y = clean + sigma * rng.normal(size=len(X))
            found = least_squares(lambda c, y=y: (self.values(X, c) - y) / sigma, theta, x_scale=np.abs(theta) + 1e-12)
            squares.append(np.mean((self.values(fresh, found.x) - truth) ** 2))
        if squares:
            return float(np.sqrt(np.mean(squares)))
        # A law without constants is known exactly; one factor would be known to this.
        return float(np.sqrt(np.mean(truth**2) / np.sum((clean / sigma) ** 2)))


PLANETS = (
    (0.3871, 0.2408), (0.7233, 0.6152), (1.0, 1.0), (1.5237, 1.8808), (5.2028, 11.862), (9.5388, 29.457),
    (19.1914, 84.011), (30.0611, 164.79),
)  # fmt: skip

LAWS = {
    law.name: law
    for law in (
        # Physics
        Law("hooke", "k*x", {"k": (50, 300), "x": (0.02, 0.3)}, 25, ("additive", 0.03)),
        Law("ideal gas", "R*n*T/V", {"n": (0.5, 5), "T": (250, 400), "V": (0.01, 0.1)}, 100, ("relative", 0.05),
            {"R": 8.314}),
        Law("drag", "c*rho*A*v*v", {"rho": (0.9, 1.3), "A": (0.2, 3), "v": (5, 40)}, 40, ("relative", 0.05),
            {"c": 0.15}),
        Law("pendulum", "c*sqrt(L)", {"L": (0.2, 2)}, 30, ("additive", 0.02), {"c": 2.006}, ignored={"m": (0.05, 1)}),
        Law("kepler", "c*a*sqrt(a)", {"a": (0.39, 30)}, 8, ("relative", 5e-4), {"c": 1.0}, ("a",), data=PLANETS),
        Law("stefan boltzmann", "s*A*T*T*T*T", {"A": (0.01, 1), "T": (400, 1500)}, 50, ("relative", 0.05),
            {"s": 5.67e-8}),
        Law("coulomb", "k*q*p/(r*r)", {"q": (1, 10), "p": (1, 10), "r": (0.1, 1)}, 60, ("relative", 0.05),
            {"k": 0.00899}),
        Law("joule heat", "U*U/R", {"U": (1, 24), "R": (10, 1000)}, 30, ("relative", 0.03)),
        Law("free fall", "g*t*t", {"t": (0.1, 2)}, 15, ("additive", 0.03), {"g": 4.905}),
        Law("kinetic energy", "0.5*m*v*v", {"m": (1, 20), "v": (0.5, 10)}, 30, ("additive", 0.05),
            ignored={"colour": (1, 5)}),
        Law("malus", "I*square(cos(theta))", {"I": (1, 10), "theta": (0, 1.5)}, 40, ("additive", 0.05)),
        Law("decay", "N*exp(-l*t)", {"t": (0, 30)}, 25, ("additive", 0.02), {"N": 1000.0, "l": 0.12}),
        Law("thin lens", "u*v/(u+v)", {"u": (10, 100), "v": (10, 100)}, 50, ("relative", 0.02)),
        Law("doppler", "f*c/(c-v)", {"f": (200, 1000), "v": (0, 100)}, 40, ("relative", 0.01), {"c": 343.0}),
        Law("capacitor", "U*(1-exp(-t/tau))", {"U": (5, 12), "t": (0, 10)}, 40, ("additive", 0.03), {"tau": 2.2}),
        Law("projectile", "v*v*sin(2*theta)/g", {"v": (5, 30), "theta": (0.2, 1.3)}, 50, ("relative", 0.05),
            {"g": 9.81}),
        Law("torricelli", "c*sqrt(h)", {"h": (0.1, 5)}, 15, ("relative", 0.03), {"c": 4.43}),
        Law("spring period", "c*sqrt(m/k)", {"m": (0.1, 2), "k": (5, 100)}, 30, ("relative", 0.03), {"c": 6.283}),
        Law("poiseuille", "c*dP*r*r*r*r/L", {"dP": (1, 10), "r": (0.5, 2), "L": (0.1, 1)}, 80, ("relative", 0.1),
            {"c": 0.39}),
        Law("conduction", "k*A*dT/d", {"A": (0.5, 4), "dT": (5, 40), "d": (0.02, 0.2)}, 40, ("relative", 0.05),
            {"k": 0.6}),
        Law("boyle", "c/V", {"V": (1, 10)}, 10, ("relative", 0.02), {"c": 101.3}),
        Law("reynolds", "rho*v*D/mu", {"rho": (800, 1100), "v": (0.1, 3), "D": (0.01, 0.2), "mu": (0.001, 0.01)}, 60,
            ("relative", 0.1)),
        # Chemistry
        Law("arrhenius", "A*exp(-B/T)", {"T": (280, 380)}, 30, ("relative", 0.1), {"A": 2e9, "B": 6000.0}),
        Law("beer lambert", "e*c*l", {"c": (0.01, 0.5), "l": (0.5, 5)}, 20, ("additive", 0.03), {"e": 1.7}),
        Law("nernst", "E - b*log(q)", {"q": (0.01, 50)}, 30, ("additive", 0.03), {"E": 0.34, "b": 0.0128}, ("q",)),
        Law("freundlich", "K*exp(a*log(C))", {"C": (0.5, 50)}, 25, ("relative", 0.05), {"K": 3.2, "a": 0.4}),
        Law("langmuir", "q*C/(K+C)", {"C": (0.2, 40)}, 30, ("relative", 0.05), {"q": 4.5, "K": 6.0}),
        Law("van t hoff", "a + b/T", {"T": (280, 360)}, 20, ("additive", 0.05), {"a": -10.0, "b": 4000.0}),
        Law("henry", "k*p", {"p": (0.1, 5)}, 12, ("relative", 0.05), {"k": 0.034}),
        Law("second order rate", "k*A*B", {"A": (0.1, 2), "B": (0.1, 2)}, 30, ("relative", 0.1), {"k": 0.42}),
        # Biology
        Law("michaelis menten", "V*S/(K+S)", {"S": (0.2, 30)}, 20, ("additive", 0.03), {"V": 12.0, "K": 3.5}, ("S",)),
        Law("kleiber", "b*exp(a*log(M))", {"M": (0.02, 5000)}, 40, ("relative", 0.2), {"b": 3.4, "a": 0.75}, ("M",)),
        Law("logistic growth", "K/(1+a*exp(-r*t))", {"t": (0, 20)}, 40, ("additive", 0.03),
            {"K": 500.0, "a": 40.0, "r": 0.5}),
        Law("species area", "c*exp(z*log(A))", {"A": (1, 10000)}, 20, ("relative", 0.1), {"c": 12.0, "z": 0.25},
            ("A",)),
        Law("body mass index", "w/(h*h)", {"w": (45, 120), "h": (1.5, 2)}, 60, ("relative", 0.02),
            ignored={"age": (18, 80)}),
        Law("hill", "V*x*x/(K+x*x)", {"x": (0.2, 12)}, 40, ("additive", 0.03), {"V": 8.0, "K": 9.0}),
        Law("cardiac output", "HR*SV", {"HR": (50, 160), "SV": (0.04, 0.12)}, 50, ("relative", 0.05)),
        # Engineering
        Law("hall petch", "s + k/sqrt(d)", {"d": (1, 100)}, 20, ("additive", 0.05), {"s": 70.0, "k": 600.0}, ("d",)),
        Law("euler buckling", "c*I/(L*L)", {"I": (10, 200), "L": (1, 6)}, 40, ("relative", 0.05), {"c": 2073.0}),
        Law("beam", "c*F*L*L*L/I", {"F": (100, 5000), "L": (0.5, 4), "I": (10, 500)}, 60, ("relative", 0.05),
            {"c": 1.04e-3}),
        Law("basquin", "c*exp(-b*log(N))", {"N": (1e3, 1e7)}, 30, ("relative", 0.05), {"c": 900.0, "b": 0.1}, ("N",)),
        Law("pump power", "c*Q*H/eta", {"Q": (0.01, 0.5), "H": (2, 60), "eta": (0.4, 0.9)}, 60, ("relative", 0.05),
            {"c": 9.81}),
        # Economics
        Law("cobb douglas", "A*exp(a*log(K)+b*log(L))", {"K": (10, 1000), "L": (5, 500)}, 120, ("relative", 0.05),
            {"A": 1.4, "a": 0.3, "b": 0.7}),
        Law("quantity theory", "M*V/Q", {"M": (100, 900), "V": (1, 6), "Q": (50, 400)}, 40, ("relative", 0.05)),
        Law("log income", "a + b*log(income)", {"income": (10, 300)}, 50, ("additive", 0.1), {"a": 2.0, "b": 1.5}),
        Law("interest", "P*exp(r*t)", {"P": (100, 1000), "r": (0.01, 0.1), "t": (1, 30)}, 300, ("relative", 0.02)),
        # Lines, and nothing at all
        Law("line", "a + b*x", {"x": (0, 10)}, 15, ("additive", 0.1), {"a": 7.0, "b": 2.5}),
        Law("demand", "a - b*price + c*income", {"price": (1, 9), "income": (10, 90)}, 60, ("additive", 0.2),
            {"a": 40.0, "b": 3.0, "c": 0.4}, ignored={"u": (0, 1), "v": (0, 1), "w": (0, 1)}),
        Law("noise 15", "c", {"x": (0, 1)}, 15, ("additive", 5.0), {"c": 50.0}, ignored={"u": (0, 10)}),
        Law("noise 40", "c", {"x": (0, 1)}, 40, ("relative", 0.2), {"c": 8.0}, ignored={"u": (1, 9), "v": (1, 2)}),
        Law("noise 100", "c", {"x": (0, 1)}, 100, ("additive", 1.0), {"c": 0.1},
            ignored={f"u{j}": (-1, 1) for j in range(9)}),
    )
}  # fmt: skip
