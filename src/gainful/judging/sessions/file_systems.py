"""Detect network file systems, on which the locks of a database are not reliable."""

from __future__ import annotations

import os
import sys

__all__ = ["network_file_system"]

#: Types of network file systems as Linux and macOS name them. 9p is missing: containers and virtual
#: machines use it for local disks.
_NETWORK = frozenset(
    (
        *("nfs", "nfs3", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav"),
        *("davfs", "ncpfs", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "orangefs"),
        *("fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph"),
        *("fuse.davfs2", "fuse.blobfuse2", "macfuse", "osxfuse"),
    )
)


def network_file_system(folder: str) -> str | None:
    """Return the type of the network file system of a folder; None if it is local or unknown.

    Examples
    --------
    >>> network_file_system("/")
    """
    path = os.path.realpath(folder)
    if sys.platform == "win32":
        return _windows_drive(path)
    kind = _type_of(path, _mounts())
    return kind if kind in _NETWORK else None


def _type_of(path: str, mounts: list[tuple[str, str]]) -> str | None:
    """Return the type of the last mount with the longest path above a path."""
    found, longest = None, 0
    for place, kind in mounts:
        above = place.rstrip("/") + "/"
        if (path + "/").startswith(above) and len(above) >= longest:
            found, longest = kind, len(above)
    return found


def _mounts() -> list[tuple[str, str]]:
    """Return the path and type of each mount; an empty list where they are unknown."""
    if sys.platform == "darwin":
        import subprocess

        listed = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False).stdout
        return _mac_mounts(listed)
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as stream:
            return _linux_mounts(stream.read())
    except OSError:
        return []


def _linux_mounts(text: str) -> list[tuple[str, str]]:
    r"""Parse lines of device, path, type and options, in which \040 is a space.

    Examples
    --------
    >>> _linux_mounts("srv:/x /mnt/my\\040share nfs4 rw 0 0\n/dev/sda / ext4 rw 0 0\n")
    [('/mnt/my share', 'nfs4'), ('/', 'ext4')]
    """
    found = []
    for line in text.splitlines():
        words = line.split(" ")
        if len(words) > 2:
            place = words[1]
            for code, character in (("040", " "), ("011", "\t"), ("012", "\n"), ("134", "\\")):
                place = place.replace("\\" + code, character)
            found.append((place, words[2]))
    return found


def _mac_mounts(text: str) -> list[tuple[str, str]]:
    """Parse the output of mount on macOS.

    Examples
    --------
    >>> _mac_mounts("//me@srv/x on /Volumes/x (smbfs, nodev, nosuid)")
    [('/Volumes/x', 'smbfs')]
    """
    found = []
    for line in text.splitlines():
        place, _, options = line.partition(" on ")[2].rpartition(" (")
        found.append((place, options.rstrip(")").partition(",")[0]))
    return found


def _windows_drive(path: str) -> str | None:
    drive = os.path.splitdrive(path)[0]
    if drive.startswith("\\\\"):
        return "a network share"
    import ctypes

    remote = 4  # DRIVE_REMOTE
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (it exists on Windows only)
    return "a network drive" if kernel.GetDriveTypeW(drive + "\\") == remote else None
