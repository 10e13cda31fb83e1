"""Remote files, such as ``s3://bucket/run.parquet``: addresses, and reading through fsspec."""

from __future__ import annotations

import io
import re
import threading
from tempfile import TemporaryFile
from urllib.parse import quote, unquote

from gainful import _kernel
from gainful.data.columns import is_metadata_file
from gainful.errors import Code, GainfulError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import IO, Any

__all__ = [
    "RemoteFile",
    "is_address",
    "shown",
    "without_credentials",
    "without_passwords",
    "without_secrets_of",
]

#: ``s3://``, ``https://``, ``simplecache::gs://``. A single letter would be a Windows drive.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]+::)*[a-z][a-z0-9+.\-]+://", re.IGNORECASE)

#: Addresses in a message. A match begins at a word boundary, which keeps the time linear: a
#: message may quote an id of a megabyte.
_IN_TEXT = re.compile(
    r"(?<![a-z0-9+.\-])([0-9+.\-]*)([a-z][a-z0-9+.\-]+://[^\s'\"<>()\[\],]+)", re.IGNORECASE
)

#: Schemes in which the part before the ``@`` is a container, not credentials.
_CONTAINERS = ("abfs", "abfss", "wasb", "wasbs")


def is_address(path: str) -> bool:
    """Return whether a path is an address rather than a path of the local file system.

    Examples
    --------
    >>> is_address("s3://bucket/run.parquet"), is_address("runs/bm25.run")
    (True, False)
    """
    return _ADDRESS.match(path) is not None


def shown(address: str) -> str:
    """Return an address without credentials, for messages and results.

    Removes user and password before the host, and signatures and tokens after a question mark.

    Examples
    --------
    >>> shown("https://me:secret@example.org/run.tsv?X-Amz-Signature=0123")
    'https://example.org/run.tsv'
    >>> shown("simplecache::s3://bucket/run.tsv")
    'simplecache::s3://bucket/run.tsv'
    """
    return "::".join(_shown(part) for part in address.split("::"))


def _shown(part: str) -> str:
    scheme, mark, rest = part.partition("://")
    if not mark:
        return part
    # Except on the web, a question mark may be part of a name if no value follows.
    rest = _without_user(scheme, rest)
    before, _, query = rest.partition("?")
    if query and (scheme.lower() in ("http", "https") or "=" in query):
        rest = before
    if scheme.lower() in ("http", "https"):
        rest = rest.partition("#")[0]
    return scheme + mark + rest


def _without_user(scheme: str, rest: str) -> str:
    host, slash, path = rest.partition("/")
    user, sign, place = host.rpartition("@")
    is_container = scheme.lower() in _CONTAINERS and ":" not in user
    return (place if sign and not is_container else host) + slash + path


def without_credentials(text: str, address: str = "") -> str:
    """Return a text, such as an error message, without the credentials of its addresses.

    Examples
    --------
    >>> address = "https://me:secret@example.org/run.tsv"
    >>> without_credentials("403 for url 'https://me:secret@example.org/run.tsv': secret", address)
    "403 for url 'https://example.org/run.tsv': ..."
    """
    text = text.replace(address, shown(address)) if address else text
    text = _IN_TEXT.sub(lambda match: match[1] + _shown(match[2]), text)
    return without_secrets_of(text, address)


def without_passwords(text: str) -> str:
    """Return a text without users and passwords in its addresses, which may be ids.

    Examples
    --------
    >>> without_passwords("https://me:secret@example.org/x and https://example.org/x.py?v#L1-L2")
    'https://example.org/x and https://example.org/x.py?v#L1-L2'
    """

    def replaced(match: re.Match[str]) -> str:
        scheme, mark, rest = match[2].partition("://")
        return match[1] + scheme + mark + _without_user(scheme, rest)

    return _IN_TEXT.sub(replaced, text)


def without_secrets_of(text: str, address: str) -> str:
    """Return a text without the address's user, password and values after its question mark.

    Examples
    --------
    >>> without_secrets_of("403: signature 0123 is invalid", "s3://bucket/x?signature=0123")
    '403: signature ... is invalid'
    """
    text = text.replace(address, shown(address)) if address else text
    for part in address.split("::"):
        rest = part.partition("://")[2]
        user, sign, _ = rest.partition("/")[0].rpartition("@")
        secrets = user.split(":") if sign and ":" in user else [user] if sign else []
        values = re.split("[?&;]", rest)[1:]
        secrets += [value.partition("=")[2] or value for value in values]
        # Libraries may quote parts of an address escaped or unescaped.
        unescaped = {unquote(secret) for secret in secrets}
        forms = {*secrets, *unescaped, *(quote(secret, safe="") for secret in unescaped)}
        for secret in sorted(forms, key=len, reverse=True):
            if len(secret) > 3:
                text = text.replace(secret, "...")
    return text


#: The first and the largest block size in bytes.
_FIRST, _LARGEST = 1 << 16, 1 << 22


def remote_stream(
    length: Callable[[], int], fetch: Callable[[Sequence[tuple[int, int]]], list[bytes]]
) -> io.BufferedReader:
    """Return a binary file over a function that fetches ranges of bytes.

    Examples
    --------
    >>> text = b"q1 0 d1 1"
    >>> stream = remote_stream(lambda: 9, lambda ranges: [text[start:end] for start, end in ranges])
    >>> stream.read()
    b'q1 0 d1 1'
    """
    return io.BufferedReader(_Ranges(length(), fetch), _FIRST)


class _Ranges(io.RawIOBase):
    """Read in blocks that grow during sequential reads."""

    def __init__(
        self, length: int, fetch: Callable[[Sequence[tuple[int, int]]], list[bytes]]
    ) -> None:
        self._length, self._fetch = length, fetch
        self._at = self._start = 0
        self._block = b""
        self._size = _FIRST

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._length:
            return 0
        skipped = self._at - self._start
        if not 0 <= skipped < len(self._block):
            follows = skipped == len(self._block) and skipped > 0
            self._size = min(self._size * 4, _LARGEST) if follows else _FIRST
            (self._block,) = self._fetch([(self._at, min(self._at + self._size, self._length))])
            if not self._block:
                raise EOFError(f"it ends after {self._at} bytes of {self._length}")
            self._start, skipped = self._at, 0
        piece = self._block[skipped : skipped + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


#: The packages that fsspec requires, by protocol.
PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az", "adl"), "adlfs"),
    **dict.fromkeys(("http", "https"), "aiohttp"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    "hf": "huggingface_hub",
}

#: Above this size in bytes, a web server is tested for support of range requests.
_PROBE_ABOVE = 1 << 16


class RemoteFile(str):
    """A remote file; as a string, its address without credentials.

    No request is made before data are read.

    Parameters
    ----------
    address : str
        With a protocol, such as ``s3://bucket/run.parquet``; fsspec's chained URLs also work.

    Examples
    --------
    >>> RemoteFile("s3://key:secret@bucket/run.parquet")
    's3://bucket/run.parquet'
    """

    #: The address with credentials, which the string lacks.
    address: str
    _location: tuple[Any, str] | None
    _metadata: dict[str, Any] | None
    _copy: IO[bytes] | None
    _remote: _kernel.Remote | None
    _lock: threading.Lock

    def __new__(cls, address: str) -> RemoteFile:
        """Create a remote file from an address, without a request."""
        file = super().__new__(cls, shown(address))
        file.address = address
        file._location = file._metadata = file._copy = file._remote = None
        file._lock = threading.Lock()
        return file

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Pickle only the string, which has no credentials, so that errors can be sent."""
        return str, (str(self),)

    # --- location -------------------------------------------------------------------------------

    def place(self) -> tuple[Any, str]:
        """Return the fsspec file system, and the path in it."""
        if self._location is None:
            try:
                import fsspec
            except ModuleNotFoundError:
                raise self._not_installed("fsspec", "fsspec") from None
            try:
                system, path = fsspec.core.url_to_fs(self.address)
            except Exception as error:
                needed = PACKAGES.get(self._protocol)
                if needed is not None and isinstance(error, ImportError):
                    raise self._not_installed(needed, needed) from None
                raise SourceError(
                    f"fsspec cannot use this address: {self._describe(error)}", where=self
                ) from None
            system.invalidate_cache()  # The file may have changed since the last listing.
            self._location = system, path
        return self._location

    @property
    def _protocol(self) -> str:
        return self.address.partition("://")[0].rpartition("::")[2].lower()

    @property
    def _web(self) -> bool:
        return self.address.lower().startswith(("http://", "https://"))

    def _not_installed(self, needed: str, package: str) -> SourceError:
        packages = ["fsspec", PACKAGES.get(self._protocol)] if package == "fsspec" else [package]
        names = " ".join(name for name in packages if name)
        return SourceError(
            f"{self._protocol}:// needs {needed}",
            where=self,
            hint=f"pip install {names}" if names else None,
        )

    def _sibling(self, path: str, info: dict[str, Any]) -> RemoteFile:
        """Return another file of the same file system."""
        system, _ = self.place()
        _, chained, rest = self.address.partition("::")
        address = system.unstrip_protocol(path)
        remote_file = RemoteFile(address + chained + rest if chained else address)
        remote_file._location, remote_file._metadata = (system, path), info
        return remote_file

    # --- metadata -------------------------------------------------------------------------------

    def info(self) -> dict[str, Any]:
        """Return fsspec's metadata of the file: ``type``, ``size`` and more."""
        if self._metadata is None:
            system, path = self.place()
            self._metadata = self._attempt(lambda: system.info(path))
        return self._metadata

    def _attempt(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except GainfulError:
            raise
        except Exception as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> SourceError:
        cause = _cause(error)
        access = "credentials are read from fsspec's configuration and the environment"
        if isinstance(cause, FileNotFoundError):
            return SourceNotFoundError(where=self, found="no such file")
        if isinstance(cause, PermissionError):
            return SourceError("no permission to read the file", where=self, hint=access)
        description = self._describe(cause)
        return SourceError(
            f"cannot read the file ({description})",
            where=self,
            code=Code.UNREACHABLE,
            hint=access if "credential" in description.lower() else None,
        )

    def _describe(self, error: BaseException) -> str:
        kind = type(error).__name__
        text = without_credentials(" ".join(str(error).split()), self.address)
        text = text if len(text) <= 300 else text[:300] + "..."
        return f"{kind}: {text}" if text else kind

    # --- content --------------------------------------------------------------------------------

    @property
    def remote(self) -> _kernel.Remote:
        """The file for the kernel."""
        with self._lock:
            if self._remote is None:
                self._remote = _kernel.Remote(str(self), self.length, self.fetch)
            return self._remote

    def length(self) -> int:
        """Return the size in bytes."""
        info = self._simplify_errors(self.info)
        if info.get("type") == "directory":
            raise IsADirectoryError("a directory")
        with self._lock:
            if self._copy is None and not self._simplify_errors(self._supports_ranges):
                self._copy = self._simplify_errors(self._download)
            if self._copy is not None:
                self._copy.seek(0, 2)
                return self._copy.tell()
        return int(info["size"])

    def fetch(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes between pairs of offsets; several are fetched in parallel."""
        if self._copy is not None:
            with self._lock:
                return [_part(self._copy, start, end) for start, end in ranges]
        contents: list[bytes] = self._simplify_errors(lambda: self._fetch_ranges(ranges))
        return contents

    def _fetch_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        system, path = self.place()
        if len(ranges) == 1:
            return [bytes(system.cat_file(path, start=ranges[0][0], end=ranges[0][1]))]
        starts, ends = ([pair[end] for pair in ranges] for end in (0, 1))
        contents = system.cat_ranges([path] * len(ranges), starts, ends, on_error="return")
        for part in contents:
            if isinstance(part, BaseException):
                raise part
        return [bytes(part) for part in contents]

    def _simplify_errors(self, ask: Callable[[], Any]) -> Any:
        """Convert errors to short messages; the kernel adds the location."""
        try:
            return ask()
        except GainfulError as error:
            raise (FileNotFoundError if isinstance(error, FileNotFoundError) else OSError)(
                error.problem
            ) from None
        except (IsADirectoryError, KeyboardInterrupt):
            raise
        except Exception as error:
            cause = _cause(error)
            kind = next(
                (one for one in (FileNotFoundError, PermissionError) if isinstance(cause, one)),
                OSError,
            )
            raise kind(self._describe(cause)) from None

    def _supports_ranges(self) -> bool:
        size = self.info().get("size")
        if size is None:
            return False
        system, path = self.place()
        if not self._web:
            return True
        if self.info().get("partial") is False:
            return False
        if size <= _PROBE_ABOVE:
            return True
        # A server may ignore the range and send the whole file: check before downloading it.
        with system.open(path, "rb", block_size=1, cache_type="none", size=size) as file:
            file.seek(size - 1)
            try:
                return len(file.read(1)) == 1
            except ValueError:
                return False

    def _download(self) -> IO[bytes]:
        """Download to a temporary file, for servers without range requests."""
        system, path = self.place()
        options = {"block_size": 0} if self._web else {}
        copy = TemporaryFile()  # noqa: SIM115
        try:
            with system.open(path, "rb", **options) as source:
                while piece := source.read(1 << 20):
                    copy.write(piece)
                    # The server may not send the length in advance.
                    _kernel.check_size(str(self), copy.tell())
        except BaseException:
            copy.close()
            raise
        return copy

    def open(self) -> IO[bytes]:
        """Open the file for readers other than the kernel; it is seekable."""

        def ask(what: Callable[[], Any]) -> Any:
            try:
                return what()
            except IsADirectoryError:
                raise
            except OSError as error:
                raise self._error(error) from None

        return remote_stream(
            lambda: ask(self.length), lambda ranges: ask(lambda: self.fetch(ranges))
        )

    # --- folders and patterns -------------------------------------------------------------------

    def expand(self, suffixes: tuple[str, ...]) -> list[str]:
        """Return the file itself, or the files of a folder or pattern."""
        system, path = self.place()
        if self._is_pattern(path):
            matches = self._attempt(lambda: system.glob(path, detail=True))
            if "/." not in path:  # As in a shell, only explicit patterns match hidden files.
                matches = {name: match for name, match in matches.items() if "/." not in name}
            if not matches:
                raise SourceError("no file matches the pattern", where=self)
            files: list[str] = []
            for name in sorted(matches, key=str.encode):
                if not is_metadata_file(name.rstrip("/").rpartition("/")[2]):
                    files += self._sibling(name, matches[name])._list_files(suffixes)
            return files
        return self._list_files(suffixes)

    def _is_pattern(self, path: str) -> bool:
        if self._metadata is not None:
            return False
        if self._web:
            return "*" in path.partition("?")[0]
        if not any(mark in path for mark in "*?["):
            return False
        try:
            self.info()
        except SourceNotFoundError:
            return True
        return False

    def _list_files(self, suffixes: tuple[str, ...]) -> list[str]:
        system, path = self.place()
        listed = self._web and path.partition("?")[0].endswith("/")
        if not listed and self.info().get("type") != "directory":
            return [self]
        listing: dict[str, Any] = self._attempt(lambda: system.find(path, detail=True))
        start = len(path.rstrip("/"))
        names = {name: name[start:].strip("/").split("/") for name in listing}
        chosen = [
            name
            for name, parts in names.items()
            if name.lower().endswith(suffixes) and not any(part[:1] in "._" for part in parts)
        ]
        chosen.sort(key=lambda name: [part.encode() for part in names[name]])
        return [self._sibling(name, listing[name]) for name in chosen] or [self]


def _cause(error: BaseException) -> BaseException:
    """Return the cause of an error; fsspec reports all errors of web servers as "not found"."""
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    web = [cause for cause in causes if type(cause).__module__.startswith("aiohttp")]
    if not web:
        return error if isinstance(error, OSError) else causes[-1]
    status = getattr(web[-1], "status", None)
    if status in (401, 403, 407):
        return PermissionError(str(web[-1]))
    if status in (404, 410):
        return FileNotFoundError(str(web[-1]))
    return web[-1]


def _part(file: IO[bytes], start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(end - start)
