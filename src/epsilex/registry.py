"""Registries: exchangeable parts by name. A new member is one file and one line; its contract is tested by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Members by name. `noun` names them in error messages, such as `survival`."""

    def __init__(self, noun: str, **members: T):
        self.noun = noun
        self._members = dict(members)

    def add(self, name: str, member: T) -> T:
        """Register a member under an unused name."""
        if name in self._members:
            raise ValueError(f"{self.noun}: expected a name that is not registered yet; got {name!r}")
        self._members[name] = member
        return member

    def remove(self, name: str) -> None:
        self.find(name)
        del self._members[name]

    def find(self, name: str) -> T:
        """The member of this name; if there is none, a ValueError lists them all."""
        if not isinstance(name, str) or name not in self._members:
            raise ValueError(f"{self.noun}: expected one of {', '.join(self._members)}; got {name!r}")
        return self._members[name]

    def __getitem__(self, name: str) -> T:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
