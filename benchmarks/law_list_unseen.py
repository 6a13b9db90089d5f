"""Laws that were written down after the planter `systematic` was built, and before any of them was fitted.

They are not for development: whoever changes the search or the choice because of one of them moves it to `law_list.py`.
"""

from __future__ import annotations

from benchmarks.law_list import Law

UNSEEN = {
    law.name: law
    for law in (
        # Physics
        Law("two charges", "c*q*Q/(r*r)", {"q": (1, 9), "Q": (1, 9), "r": (0.2, 2)}, 30, ("relative", 0.04),
            {"c": 8.99}),
        Law("inductor", "L*I*I/2", {"L": (0.01, 0.5), "I": (0.5, 8)}, 18, ("relative", 0.03)),
        Law("charging", "U*(1-exp(-t/(R*C)))", {"U": (2, 12), "t": (0.5, 10), "R": (1, 5), "C": (0.5, 2)}, 45,
            ("additive", 0.02)),
        Law("magnification", "f/(f-d)", {"f": (5, 12), "d": (15, 60)}, 24, ("relative", 0.02)),
        Law("polariser", "I*cos(a)*cos(a)", {"I": (1, 10), "a": (0, 1.5)}, 25, ("additive", 0.03)),
        Law("bernoulli", "p + c*v*v", {"p": (100, 130), "v": (1, 8)}, 22, ("additive", 0.04), {"c": 0.5}),
        Law("adiabatic", "T*exp(0.4*log(V/W))", {"T": (280, 600), "V": (1, 5), "W": (1, 5)}, 30, ("relative", 0.02)),
        Law("resonance", "F/sqrt((k-w*w)*(k-w*w)+c*w*w)", {"w": (2, 18)}, 40, ("additive", 0.02),
            {"F": 50.0, "k": 100.0, "c": 6.0}),
        Law("compton", "a + b*(1-cos(t))", {"t": (0.2, 3)}, 18, ("additive", 0.05), {"a": 71.0, "b": 2.43}),
        Law("dilation", "t/sqrt(1-v*v/(c*c))", {"t": (1, 10), "v": (0.5, 2.8)}, 25, ("relative", 0.02), {"c": 3.0}),
        Law("wavelength", "c/sqrt(m*E)", {"m": (1, 20), "E": (0.1, 10)}, 25, ("relative", 0.03), {"c": 28.6}),
        Law("springs in series", "k*K/(k+K)", {"k": (10, 200), "K": (10, 200)}, 22, ("relative", 0.02)),
        Law("lensmaker", "(n-1)*(1/a-1/b)", {"n": (1.4, 1.9), "a": (0.1, 0.4), "b": (0.5, 2)}, 35, ("relative", 0.02)),
        Law("three resistors", "1/(1/a+1/b+1/c)", {"a": (10, 100), "b": (10, 100), "c": (10, 100)}, 40,
            ("relative", 0.02)),
        Law("string", "sqrt(T/m)/(2*L)", {"T": (20, 120), "m": (0.5, 6), "L": (0.3, 1)}, 30, ("relative", 0.02)),
        Law("attenuation", "A*exp(-u*x)/(x*x)", {"x": (0.5, 6)}, 20, ("relative", 0.04), {"A": 300.0, "u": 0.35}),
        # Chemistry
        Law("second order", "A/(1+k*A*t)", {"A": (0.2, 2), "t": (0, 60)}, 30, ("additive", 0.02), {"k": 0.08}),
        Law("buffer ratio", "p + log(a/h)", {"a": (0.05, 2), "h": (0.05, 2)}, 20, ("additive", 0.03), {"p": 4.76}),
        Law("two gases", "q*p/(1/k+p+m*r)", {"p": (0.1, 5), "r": (0, 5)}, 40, ("additive", 0.02),
            {"q": 8.0, "k": 0.9, "m": 0.6}),
        Law("eyring", "c*T*exp(-b/T)", {"T": (280, 360)}, 14, ("relative", 0.03), {"c": 2e9, "b": 7000.0}),
        Law("activity", "-a*sqrt(I)/(1+b*sqrt(I))", {"I": (0.001, 0.5)}, 20, ("additive", 0.02), {"a": 0.51, "b": 1.3}),
        Law("intermediate", "A*(exp(-k*t)-exp(-m*t))", {"t": (0, 25)}, 24, ("additive", 0.03),
            {"A": 1.8, "k": 0.12, "m": 0.6}),
        Law("osmosis", "c*M*T", {"M": (0.01, 0.5), "T": (275, 340)}, 20, ("relative", 0.03), {"c": 0.0821}),
        # Biology
        Law("holling three", "a*N*N/(b+N*N)", {"N": (0.5, 30)}, 24, ("additive", 0.03), {"a": 14.0, "b": 60.0}),
        Law("cable", "V*exp(-x/l)", {"V": (5, 40), "x": (0, 3)}, 25, ("additive", 0.02), {"l": 0.8}),
        Law("bertalanffy", "L*(1-exp(-k*(t+s)))", {"t": (0, 15)}, 20, ("additive", 0.03),
            {"L": 80.0, "k": 0.22, "s": 0.7}),
        Law("ricker", "a*S*exp(-b*S)", {"S": (0.2, 12)}, 20, ("relative", 0.08), {"a": 5.0, "b": 0.25}),
        Law("heterozygotes", "2*p*(1-p)", {"p": (0.02, 0.98)}, 16, ("additive", 0.03)),
        Law("metabolism", "c*exp(0.75*log(M))*exp(-E/T)", {"M": (0.01, 500), "T": (278, 312)}, 50, ("relative", 0.08),
            {"c": 3e11, "E": 7500.0}, log=("M",)),
        Law("substrate inhibition", "V*S/(K+S+S*S/c)", {"S": (0.3, 40)}, 26, ("additive", 0.02),
            {"V": 20.0, "K": 4.0, "c": 9.0}),
        # Engineering
        Law("pipe loss", "c*L*v*v/D", {"L": (5, 200), "v": (0.3, 4), "D": (0.05, 0.5)}, 30, ("relative", 0.04),
            {"c": 0.001}),
        Law("deflection", "c*F*L*L*L/I", {"F": (1, 20), "L": (0.5, 4), "I": (1, 30)}, 30, ("relative", 0.05),
            {"c": 0.1}),
        Law("wall", "k*A*(T-U)/d", {"A": (5, 30), "T": (18, 24), "U": (-10, 12), "d": (0.1, 0.5)}, 40,
            ("relative", 0.03), {"k": 0.7}),
        Law("fin", "tanh(m)/m", {"m": (0.2, 5)}, 20, ("additive", 0.02)),
        Law("vector sum", "sqrt(a*a+b*b)", {"a": (1, 20), "b": (1, 20)}, 20, ("relative", 0.02)),
        Law("notch", "1+2*sqrt(a/r)", {"a": (1, 10), "r": (0.5, 5)}, 22, ("relative", 0.03)),
        Law("capstan", "T*exp(u*w)", {"T": (10, 100), "w": (0.5, 9)}, 24, ("relative", 0.04), {"u": 0.3}),
        Law("open channel", "c*exp(2/3*log(R))*sqrt(S)", {"R": (0.2, 3), "S": (0.0005, 0.02)}, 30, ("relative", 0.04),
            {"c": 33.0}),
        Law("pump", "h - c*Q*Q", {"Q": (0, 90)}, 14, ("additive", 0.03), {"h": 45.0, "c": 0.004}),
        Law("torque", "F*r*sin(a)", {"F": (5, 80), "r": (0.1, 0.6), "a": (0.2, 2.8)}, 28, ("relative", 0.03)),
        # Economics, astronomy, Earth
        Law("two factors", "c*exp(0.3*log(K))*exp(0.7*log(L))", {"K": (10, 300), "L": (5, 200)}, 40, ("relative", 0.08),
            {"c": 1.4}),
        Law("adoption", "M/(1+exp(-r*(t-s)))", {"t": (0, 24)}, 22, ("additive", 0.03),
            {"M": 62.0, "r": 0.45, "s": 11.0}),
        Law("demand line", "a - b*p + c*y", {"p": (1, 9), "y": (20, 60)}, 30, ("additive", 0.15),
            {"a": 30.0, "b": 4.0, "c": 0.8}),
        Law("modulus", "m - 2.171*log(d)", {"m": (5, 20), "d": (3, 900)}, 25, ("additive", 0.03), log=("d",)),
        Law("orbit", "c*a*sqrt(a/M)", {"a": (0.2, 20), "M": (0.2, 5)}, 25, ("relative", 0.03), {"c": 1.0}),
        Law("luminosity", "c*R*R*T*T*T*T", {"R": (0.3, 10), "T": (0.5, 3)}, 25, ("relative", 0.06), {"c": 1.0}),
        Law("barometer", "p*exp(-z*g/T)", {"p": (98, 104), "z": (0, 3), "T": (260, 300)}, 40, ("relative", 0.005),
            {"g": 34.2}),
        Law("noise 30", "c", {"x": (0, 1)}, 30, ("additive", 1.0), {"c": 7.0}, ignored={"u": (1, 9), "v": (0, 5)}),
        Law("noise 50", "c", {"x": (3, 8)}, 50, ("additive", 1.0), {"c": -2.0}, ignored={"u": (1, 900), "v": (-1, 1)}),
    )
}  # fmt: skip
