"""Names of columns as they are read: Greek letters by their names, and a number at the end as an index."""

from __future__ import annotations

import re

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ",
    "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_INDEXED = re.compile(r"([A-Za-z]+)_?([0-9]*)")


def letter_and_index(name: str) -> tuple[str, str] | None:
    """A letter, or the name of a Greek one, and the number behind it, which may be empty; None for other names.

    A column called pi is none, because the letter is the number.
    """
    found = _INDEXED.fullmatch(name)
    return (found[1], found[2]) if found and (len(found[1]) == 1 or found[1] in GREEK) else None
