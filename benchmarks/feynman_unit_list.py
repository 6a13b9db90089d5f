"""Units of the Feynman equations: of their targets, and of their variables.

A symbol mostly means the same in all equations; where it does not, the equation has its own line. Angles are pure
numbers. A test holds each law to be consistent with its units.
"""

from __future__ import annotations

from benchmarks.feynman_list import EQUATIONS

USUAL = {
    unit: symbols.split()
    for unit, symbols in {
        "1": "theta theta1 theta2 sigma mu n gamma chi alpha delta g_ beta",
        "m": "r r1 r2 d d1 d2 x x1 x2 y y1 y2 z z1 z2 lambd",
        "m^2": "A",
        "m^3": "V V1 V2",
        "s": "t",
        "1/s": "omega omega_0",
        "m/s": "v u w c",
        "m/s^2": "g a",
        "kg": "m m1 m2 m_0",
        "m^3/(kg*s^2)": "G",
        "N": "F Nn",
        "N/m": "k_spring",
        "Pa": "pr Y",
        "J": "E_n U",
        "W": "Pwr",
        "K": "T T1 T2",
        "J/K": "kb",
        "J*s": "h",
        "C": "q q1 q2",
        "F": "C",
        "F/m": "epsilon",
        "V": "Volt",
        "V/m": "Ef",
        "A": "I I_0",
        "T": "B Bx By Bz H",
        "A/m": "M",
        "C*m": "p_d",
        "J/T": "mom",
        "1/m^3": "n_0 n_rho",
        "C/m^3": "rho_c_0",
        "C/m^2": "sigma_den",
        "V*s/m": "A_vec",
        "W/m^2": "I1 I2 Int_0",
        "W/(m*K)": "kappa",
        "kg/m^3": "rho",
        "s/kg": "mu_drift mob",
        "1/m": "k",
    }.items()
}

OWN = {  # symbols that mean something else in an equation
    "I.11.19": {"x1": "N", "x2": "N", "x3": "N", "y3": "m"},
    "I.34.8": {"p": "kg*m/s"},
    "II.11.27": {"n": "1/m^3", "alpha": "m^3"},
    "II.11.28": {"n": "1/m^3", "alpha": "m^3"},
    "II.34.29b": {"Jz": "J*s"},
    "III.17.37": {"beta": "W"},
}

TARGETS = {
    unit: names.split()
    for unit, names in {
        "1": "I.6.2a I.6.2 I.6.2b I.26.2 I.30.5 II.11.28 II.36.38 III.4.32 III.8.54 III.9.52",
        "m": "I.8.14 I.15.3x I.18.4 I.27.6 I.29.16 I.38.12 I.50.26 II.11.3",
        "N": "I.9.18 I.12.1 I.12.2 I.12.5 I.12.11 II.38.3",
        "kg": "I.10.7 III.15.14",
        "J": "I.11.19 I.13.4 I.13.12 I.14.3 I.14.4 I.18.12 I.24.6 I.34.27 I.39.1 I.39.11 I.44.4 I.48.2 II.8.7 II.15.4 "
             "II.15.5 II.34.29b II.37.1 III.4.33 III.10.19 III.15.12 III.19.51",
        "V/m": "I.12.4 II.6.15a II.6.15b II.10.9",
        "s": "I.15.3t",
        "kg*m/s": "I.15.1",
        "m/s": "I.16.6 I.43.16 I.47.23 III.13.18",
        "kg*m^2/s": "I.18.14",
        "V": "I.25.13 II.4.23 II.6.11 II.21.32",
        "1/m": "I.29.4 II.24.17 III.15.27",
        "W/m^2": "I.30.3 I.37.4 II.3.24 II.27.16",
        "W": "I.32.5 I.32.17 II.2.42 III.17.37",
        "1/s": "I.34.8 I.34.1 I.34.14 II.34.11 III.7.38",
        "Pa": "I.39.22 II.38.14",
        "1/m^3": "I.40.1 II.11.17 II.35.18",
        "J/m^2": "I.41.16",
        "m^2/s": "I.43.31",
        "W/(m*K)": "I.43.43",
        "J/m^3": "II.8.31 II.27.18",
        "C/m^2": "II.11.20 II.11.27",
        "T": "II.13.17",
        "C/m^3": "II.13.23",
        "A/m^2": "II.13.34 III.21.20",
        "A": "II.34.2a III.14.14",
        "A*m^2": "II.34.2 II.34.29a",
        "A/m": "II.35.21",
        "J*s": "III.12.43",
    }.items()
}  # fmt: skip

_USUAL = {symbol: unit for unit, symbols in USUAL.items() for symbol in symbols}
TARGET = {name: unit for unit, names in TARGETS.items() for name in names}


def units_of(name: str) -> dict[str, str]:
    """The unit of each variable of an equation."""
    own = OWN.get(name, {})
    return {symbol: own.get(symbol) or _USUAL[symbol] for symbol in EQUATIONS[name].ranges}
