"""Where data files are found: the folder named by EPSILEX_DATA, the user's cache, then a download.

EPSILEX_DATA_URL names the folder on the web to download from; without it nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


class DataMissing(ValueError):
    """The file is neither here nor to be had; the message says what to do."""


def find(file: str, sha256: str, source: str) -> Path:
    """Path of a data file whose content has this SHA-256."""
    if path := at_hand(file, sha256):
        return path
    if url := os.environ.get("EPSILEX_DATA_URL"):
        return _download(url, file, sha256)
    raise DataMissing(
        f"{file}: not found. Put it, with SHA-256 {sha256}, into a folder and name that folder in EPSILEX_DATA, or "
        f"name a web folder that has it in EPSILEX_DATA_URL. The data comes from: {source}"
    )


def at_hand(file: str, sha256: str) -> Path | None:
    """Path of a data file on this machine whose content has this SHA-256; None if there is no such file."""
    for place in _places():
        path = place / file
        if path.is_file():
            return _checked(path, sha256)
    return None


def _places() -> list[Path]:
    """Folders to look in, each with its sub-folder for the authors' own files."""
    folder = os.environ.get("EPSILEX_DATA")
    if folder and not Path(folder).is_dir():
        raise ValueError(f"EPSILEX_DATA: expected a folder with data files; got {folder!r}")
    return [place for top in (folder, cache_folder()) if top for place in (Path(top), Path(top, "raw"))]


def cache_folder() -> Path:
    """The user's cache, where downloads are kept."""
    import pooch

    return Path(pooch.os_cache("epsilex"))


def _checked(path: Path, sha256: str) -> Path:
    got = hashlib.sha256(path.read_bytes()).hexdigest()
    if got != sha256:
        raise ValueError(f"{path}: expected a file with SHA-256 {sha256}; got {got}")
    return path


def _download(url: str, file: str, sha256: str) -> Path:
    import pooch
    from requests import RequestException

    if not url.startswith(("http://", "https://")):
        raise ValueError(f"EPSILEX_DATA_URL: expected an http or https address; got {url!r}")
    address = f"{url.rstrip('/')}/{file}"
    try:
        # pooch writes to a temporary file and moves it only once its hash is right.
        return Path(
            pooch.retrieve(
                address,
                f"sha256:{sha256}",
                fname=file,
                path=cache_folder(),
                downloader=pooch.HTTPDownloader(timeout=60),
            )
        )
    except RequestException as error:
        reason = f"status {error.response.status_code}" if error.response is not None else type(error).__name__
        raise DataMissing(f"{file}: expected a download from {address}; got {reason}") from None
    except OSError as error:
        raise DataMissing(f"{file}: expected a writable cache folder; got {error}") from None
    except ValueError:
        raise ValueError(f"{address}: expected a file with SHA-256 {sha256}; got another one") from None
