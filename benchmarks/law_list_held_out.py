"""Laws that were written down before the choice was built, and looked at once, after it was done."""

from __future__ import annotations

from benchmarks.law_list import Law

HELD_OUT = {
    law.name: law
    for law in (
        Law("gravitation", "c*M/(r*r)", {"M": (1, 50), "r": (0.5, 5)}, 40, ("relative", 0.05), {"c": 6.67}),
        Law("newton cooling", "Te + d*exp(-k*t)", {"t": (0, 60)}, 30, ("additive", 0.03),
            {"Te": 21.0, "d": 60.0, "k": 0.06}),
        Law("escape speed", "c*sqrt(M/r)", {"M": (0.1, 20), "r": (0.3, 4)}, 30, ("relative", 0.05), {"c": 11.2}),
        Law("shockley", "I*(exp(U/v)-1)", {"U": (0.05, 0.35)}, 40, ("relative", 0.05), {"I": 2e-6, "v": 0.05}),
        Law("competitive inhibition", "V*S/(K*(1+I/c)+S)", {"S": (0.5, 30), "I": (0, 10)}, 80, ("additive", 0.02),
            {"V": 10.0, "K": 3.0, "c": 2.5}),
        Law("bergman surface", "b*exp(a*log(M))", {"M": (1, 500)}, 25, ("relative", 0.1), {"b": 0.1, "a": 0.67}),
        Law("weir", "c*b*h*sqrt(h)", {"b": (0.5, 3), "h": (0.05, 0.8)}, 40, ("relative", 0.05), {"c": 1.84}),
        Law("hoop stress", "p*r/t", {"p": (0.5, 10), "r": (50, 800), "t": (2, 20)}, 30, ("relative", 0.05)),
        Law("gravity model", "c*A*B/d", {"A": (1, 100), "B": (1, 100), "d": (50, 2000)}, 100, ("relative", 0.2),
            {"c": 30.0}),
        Law("learning curve", "a*exp(-b*log(n))", {"n": (1, 200)}, 20, ("relative", 0.05), {"a": 90.0, "b": 0.32}),
        Law("wage line", "a + b*years", {"years": (8, 20)}, 50, ("additive", 0.2), {"a": 3.0, "b": 1.2},
            ignored={"height": (150, 200), "siblings": (0, 6)}),
        Law("noise 25", "c", {"x": (0, 1)}, 25, ("additive", 2.0), {"c": 12.0},
            ignored={"u": (0, 1), "v": (5, 9), "w": (-1, 1)}),
    )
}  # fmt: skip
