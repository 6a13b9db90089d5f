"""Files written in one step: whole or not there, and nothing left beside them."""

from __future__ import annotations

import os

import pytest

from epsilex.files import Busy, clean, locked, read_file, write_file, write_files


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refuse(*arguments) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("content", ["", "größer\n", b"", b"\x00\xff\n", "a\r\nb"])
def test_what_was_written_is_there(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(b"older, and longer than the new content")
    write_file(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert names(tmp_path) == ["file"]


def test_the_previous_file_is_kept_where_asked(tmp_path):
    path, older = tmp_path / "file", tmp_path / "file.previous"
    for content in ("first", "second", "third"):
        write_file(path, content, older)
    assert (path.read_text(), older.read_text()) == ("third", "second")
    assert names(tmp_path) == ["file", "file.previous"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    one, two = tmp_path / "one", tmp_path / "two"
    write_files({one: "old", two: "old"})
    monkeypatch.setattr(os, step, refuse)
    with pytest.raises(OSError, match="No space left"):
        write_file(one, "new", two)
    with pytest.raises(OSError, match="No space left"):
        write_files({one: "new", two: "new"})
    assert (one.read_text(), two.read_text()) == ("old", "old")
    assert names(tmp_path) == ["one", "two"]


def test_several_files_are_all_on_disk_before_the_first_is_renamed(tmp_path):
    good, bad = tmp_path / "file", tmp_path / "missing" / "file"
    with pytest.raises(FileNotFoundError):
        write_files({good: "new", bad: "new"})
    assert names(tmp_path) == []


def test_permissions_are_those_of_an_ordinary_file(tmp_path):
    write_file(tmp_path / "ours", "")
    (tmp_path / "theirs").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


def test_a_part_is_never_opened_through_a_link(tmp_path, monkeypatch):
    from epsilex import files

    precious = tmp_path / "precious"
    precious.write_text("mine")
    monkeypatch.setattr(files.secrets, "token_hex", lambda n: "0" * 16)
    (tmp_path / f".file.{'0' * 16}.part").symlink_to(precious)
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "file", "new")
    assert precious.read_text() == "mine"


def test_names_of_parts_cannot_be_guessed(tmp_path, monkeypatch):
    seen = set()
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda part, path: (seen.add(str(part)), real(part, path)))
    for _ in range(20):
        write_file(tmp_path / "file", "")
    assert len(seen) == 20


def test_the_longest_name_a_file_may_have(tmp_path):
    path = tmp_path / ("n" * 255)
    write_file(path, "content")
    assert path.read_text() == "content"


def test_an_error_names_the_file_and_not_its_part(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left") as caught:
        write_file(tmp_path / "file", "new")
    assert caught.value.filename == str(tmp_path / "file")


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
def test_a_pipe_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="expected a file to write; got a pipe"):
        write_file(tmp_path / "pipe", "new")
    assert (tmp_path / "pipe").is_fifo()


def test_parts_of_killed_writers_are_removed_by_age_and_name(tmp_path):
    old, new, other = (tmp_path / f".{name}.{'a' * 16}.part" for name in ("one", "two", "three"))
    for path in (old, new, other):
        path.write_text("half")
    (tmp_path / "kept.part").write_text("a user's own")
    os.utime(old, (0, 0))
    clean(tmp_path)
    assert names(tmp_path) == sorted([new.name, other.name, "kept.part"])
    clean(tmp_path, ["two"])
    assert names(tmp_path) == sorted([other.name, "kept.part"])


@pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
def test_a_lock_is_held_by_one_and_leaves_nothing(tmp_path):
    with locked(tmp_path / "thing", "another is here") as alone:
        assert alone
        with pytest.raises(Busy, match="another is here"), locked(tmp_path / "thing", "another is here"):
            pass
    with locked(tmp_path / "thing", "another is here"):
        pass
    assert names(tmp_path) == []


def test_a_read_is_bounded(tmp_path):
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert read_file(tmp_path / "file", 100) == b"x" * 100
    with pytest.raises(ValueError, match="expected at most 99 bytes; got 100"):
        read_file(tmp_path / "file", 99)
