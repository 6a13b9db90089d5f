"""The float32 kernels of every operator against their float64 twins."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import programs
from epsilex.programs import Programs
from epsilex.programs.operators import FEATURE, TABLE, opcode

LARGEST, SMALLEST = float(np.finfo(np.float32).max), float(np.finfo(np.float32).tiny)
REACH = 30_000.0  # of sine and cosine
UNDERFLOW = -86.9  # of exp


def single(values):
    """Numbers that float32 holds, as float64."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float32).astype(np.float64)


def both(row, *arguments):
    """Values of an operator by its kernel and by its twin, float64."""
    nodes = [(FEATURE, k, 1.0) for k in range(row.arity)] + [(opcode(row.name), 0, 0.0)]
    kernel = programs.evaluate(Programs.from_nodes([nodes]), np.stack(arguments, axis=1))[0]
    with np.errstate(all="ignore"):
        twin = np.asarray(row.value(*arguments), np.float64)
    return kernel.astype(np.float64), twin


def ordinary(n, seed):
    """Numbers of either sign from a millionth to ten thousand."""
    rng = np.random.default_rng(seed)
    return single(10.0 ** rng.uniform(-6, 4, n) * rng.choice([-1.0, 1.0], n))


def close(kernel, twin, relative, absolute=0.0):
    np.testing.assert_allclose(kernel, twin, relative, absolute)


def edges():
    """NaN, infinities, zeros, subnormals, the ends of float32, and where polynomials change over."""
    small = [0.0, 1e-45, 1e-40, SMALLEST, 1e-20, 9.9e-7, 1.1e-6]
    middle = [0.5, 0.624, 0.626, 1.0, 1.5, np.pi / 2, np.pi, 2.0, 3.0, 9.2, 80.0, 86.8, 88.7]
    large = [88.8, 104.0, 200.0, REACH, REACH + 1, 1e6, 1e20, 1e38, LARGEST, np.inf]
    return single([s * v for v in small + middle + large for s in (1.0, -1.0)] + [np.nan])


def given_up(row, *arguments):
    """Where a kernel may say NaN, or 0 for a number below 1e-37, though the twin knows better."""
    x = arguments[0]
    with np.errstate(invalid="ignore"):
        if row.name in ("sin", "cos"):
            return np.abs(x) > REACH
        if row.name == "exp":
            return x < UNDERFLOW
        if row.name == "log":
            return (x > 0) & (x < SMALLEST)
    return np.zeros(len(x), bool)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
class TestEveryOperator:
    def test_ordinary_values(self, row):
        arguments = [ordinary(50_000, seed) for seed in range(row.arity)]
        kernel, twin = both(row, *arguments)
        same = single(twin)
        plain = np.isfinite(same) & (np.abs(twin) >= SMALLEST) & ~given_up(row, *arguments)
        assert plain.mean() > 0.2
        close(kernel[plain], twin[plain], 1e-5)
        assert (np.isfinite(kernel) == np.isfinite(same)).all()

    def test_edges(self, row):
        values = edges()
        arguments = [a.ravel() for a in np.meshgrid(*[values] * row.arity)]
        kernel, twin = both(row, *arguments)
        wanted = single(twin)
        exempt = given_up(row, *arguments)
        assert (np.isnan(kernel) == np.isnan(wanted))[~exempt].all()
        infinite = ~exempt & np.isinf(wanted)
        assert (kernel[infinite] == wanted[infinite]).all()
        finite = ~exempt & np.isfinite(wanted)
        close(kernel[finite], wanted[finite], 1e-5, SMALLEST)

    def test_no_row_depends_on_its_neighbours(self, row):
        """Rows at the end of a block go through the same arithmetic as those within it."""
        arguments = [ordinary(700, seed) for seed in range(row.arity)]
        whole, _ = both(row, *arguments)
        for n in (1, 31, 33, 511, 513):
            part, _ = both(row, *(a[:n] for a in arguments))
            assert part.tobytes() == whole[:n].tobytes()


def operator(name):
    (row,) = (row for row in TABLE if row.name == name)
    return row


@pytest.mark.parametrize("name", ["sin", "cos"])
class TestBigArguments:
    def test_right_or_not_finite(self, name):
        x = single(np.concatenate([np.geomspace(1e3, LARGEST, 20_000), [1e6, 2.0**24, 1e10]]))
        kernel, twin = both(operator(name), x)
        said = np.isfinite(kernel)
        assert np.abs(kernel - twin)[said].max() < 1e-6
        assert said[x <= REACH].all()
        assert np.isnan(kernel[x > REACH]).all()

    def test_never_above_one(self, name):
        """So that sqrt(1 - cos(x)^2) is defined wherever the twin is."""
        x = single(np.arange(60) * (np.pi / 2))
        near = (x[:, None] + np.linspace(-1e-2, 1e-2, 20_001)).ravel()
        kernel, _ = both(operator(name), single(near))
        assert np.abs(kernel).max() == 1.0

    def test_zeros(self, name):
        """Near a zero the argument's reduction must not lose the digits of what is left."""
        x = single(np.arange(1, 600) * (np.pi / 2))
        kernel, twin = both(operator(name), x)
        close(kernel, twin, 1e-5, 1e-9)


def test_exp_of_200_is_infinite_and_of_minus_200_zero():
    kernel, _ = both(operator("exp"), single([200.0, 88.73, np.inf, -200.0, -np.inf, -87.0]))
    assert kernel.tolist() == [np.inf, np.inf, np.inf, 0.0, 0.0, 0.0]


def test_exp_never_gives_a_subnormal():
    kernel, twin = both(operator("exp"), single(np.linspace(-90, -86, 5000)))
    assert ((kernel == 0.0) | (kernel >= SMALLEST)).all()
    assert np.abs(kernel - twin).max() < 2 * SMALLEST


def test_log_at_and_below_zero():
    kernel, _ = both(operator("log"), single([0.0, -0.0, 1e-40, -1e-40, -1.0, -np.inf, np.inf, np.nan]))
    assert kernel[:3].tolist() == [-np.inf] * 3
    assert np.isnan(kernel[[3, 4, 5, 7]]).all()
    assert kernel[6] == np.inf


RANGES = [
    ("exp", UNDERFLOW, 88.7),
    ("tanh", -12.0, 12.0),
    ("log", 0.5, 2.0),
    ("asin", -1.0, 1.0),
    ("acos", -1.0, 1.0),
]


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_dense_range(name, low, high):
    kernel, twin = both(operator(name), single(np.linspace(low, high, 200_001)))
    close(kernel, twin, 3e-7)


def test_log_over_all_magnitudes():
    kernel, twin = both(operator("log"), single(np.geomspace(SMALLEST, LARGEST, 200_001)))
    close(kernel, twin, 3e-7)


class TestPower:
    def test_negative_bases(self):
        base, exponent = single([-2.0, -2.0, -2.0, -8.0]), single([3.0, 2.0, -1.0, 1.0 / 3.0])
        kernel, _ = both(operator("pow"), base, exponent)
        assert kernel[:3].tolist() == [-8.0, 4.0, -0.5]
        assert np.isnan(kernel[3])

    def test_large_exponents_keep_their_digits(self):
        kernel, twin = both(operator("pow"), single(np.full(100, 1.0001)), single(np.linspace(1e4, 8e5, 100)))
        close(kernel, twin, 1e-6)
