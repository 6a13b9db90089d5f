"""Hostile text for the parser: a program, or a ValueError, and nothing is ever executed."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from drills.drill import Outcome, drill

WORDS = (
    "x0", "x1", "x2", "y", "1", "2.5", "1e5", "1e999", "-1", ".", "..", "+", "-", "*", "/", "**", "^", "(", ")", ",",
    "sin", "cos",
    "exp", "log", "sqrt", "square", "pdiv", "plog", "max", "min", "abs", "tanh", "pi", "e", "inf", "nan", "i", "j",
    "__import__", "os", "eval",
    "exec", "lambda", "x0.__class__", "().__class__", "getattr", "open('/etc/passwd')", "{}", "[]", "`a b`", "`", "'",
    '"', "\\", "\n", "\t",
    " ", "\0", "é", "²", "∞", "\u202e", "🙂", "%s", "{0}", ";", ":", "=", "==", ":=", "if", "else", "for", "in", "not",
    "and", "or", "~", "@", "#",
    "$", "&", "|", "!", "?", "0x10", "1_0", "1j", "1e", "1.2.3", "9" * 400, "x" * 300, "(" * 50, ")" * 50, "-" * 60,
    "sin(" * 40,
)  # fmt: skip


def grown(rng: random.Random, depth: int = 4) -> str:
    """A random formula."""
    if depth == 0 or rng.random() < 0.25:
        return rng.choice(("x0", "x1", "x2", f"{rng.uniform(-9, 9):.3g}", f"{rng.uniform(0, 9):.2e}", "3"))
    if rng.random() < 0.3:
        return f"{rng.choice(('sin', 'cos', 'exp', 'log', 'sqrt', 'square', '-', ''))}({grown(rng, depth - 1)})"
    return f"{grown(rng, depth - 1)} {rng.choice('+-*/')} {grown(rng, depth - 1)}"


def hostile(rng: random.Random) -> str:
    """A random string of words, or a formula, most of them with a few characters changed."""
    kind = rng.random()
    if kind < 0.4:
        return "".join(rng.choice(WORDS) + rng.choice(("", "", " ")) for _ in range(rng.randint(0, 25)))
    if kind < 0.5:
        return "".join(chr(rng.choice((rng.randrange(128), rng.randrange(0x3000)))) for _ in range(rng.randint(0, 60)))
    if kind < 0.55:
        depth = rng.randint(1, 5000)
        return rng.choice(("(", "-", "sin(", "x0+(", "2**")) * depth + "x0" + rng.choice(("", ")" * depth))
    letters = list(grown(rng))
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(len(letters) + 1)
        letters[at : at + rng.randint(0, 2)] = rng.choice(WORDS)
    return "".join(letters)


class Executed:
    """An audit hook that counts what a parser has no reason to do."""

    EVENTS = ("exec", "import", "open", "os.system", "subprocess.Popen", "socket.connect", "os.remove", "ctypes.dlopen")

    def __init__(self) -> None:
        self.watching, self.seen = False, []

    def __call__(self, event: str, arguments: tuple) -> None:
        if self.watching and event in self.EVENTS:
            self.seen.append(f"{event} {arguments!r:.100}")


@drill(
    "Text is parsed to a program or refused with a ValueError; nothing is executed",
    full=100_000,
    unit="formulas",
    least=200,
)
def formulas(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    from epsilex.models.model import model
    from epsilex.programs.parser import parse

    executed = Executed()
    sys.addaudithook(executed)
    names = ["x0", "x1", "x2"]
    parse("x0 + sin(x1)")  # imports what it needs
    for _ in range(n):
        text = hostile(rng)
        outcome.count += 1
        executed.watching = True
        try:
            nodes = parse(text)
        except ValueError:
            outcome.add("refused")
            continue
        except Exception as error:
            outcome.expect(False, f"{text[:80]!r}: {type(error).__name__}: {error}")
            continue
        finally:
            executed.watching = False
        outcome.add("parsed")
        if len(nodes) < 200 and all(feature < 3 for code, feature, _ in nodes if code == 1):
            written = model(nodes, names).formula
            if "nan" not in written and "inf" not in written:
                try:
                    parse(written)
                except ValueError as error:
                    outcome.expect(False, f"{text[:80]!r} is written as {written[:80]!r}, which is refused: {error}")
    outcome.expect(not executed.seen, f"executed: {executed.seen[:3]}")
