"""Reads wheels and Python files without running them. The request is JSON on stdin, and the answer JSON on stdout.

Request: `wheels` (paths), `sources` (paths of Python files), `arch`, `python` and `glibc` of the image.
"""

import ast
import base64
import contextlib
import hashlib
import json
import re
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from email.parser import BytesParser
from pathlib import Path, PurePosixPath
from typing import TypedDict

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

MEMORY = 4 * 2**30
LARGEST_TEXT = 16 * 2**20
LARGEST_SOURCE = 4 * 2**20
LARGEST_DIRECTORY = 64 * 2**20
LARGEST_WHEEL = 16 * 2**30
LARGEST_RATIO = 1000
CHUNK = 2**20


class Image(TypedDict):
    arch: str
    python: str
    glibc: str


class Fault(Exception):
    """A problem of a wheel, with the code of its rule."""

    def __init__(self, code: str, problem: str) -> None:
        super().__init__(problem)
        self.code = code
        self.problem = problem


def supported_tags(image: Image) -> set[Tag]:
    """The tags of CPython 3.13 on Linux, with glibc up to the image's."""
    newest = int(image["glibc"].split("_")[1])
    arch = image["arch"]
    platforms = [f"manylinux_2_{minor}_{arch}" for minor in range(newest, 4, -1)]
    platforms += [f"{name}_{arch}" for name in ("manylinux2014", "manylinux2010", "manylinux1", "linux")]
    major, minor = (int(part) for part in image["python"].split(".")[:2])
    interpreter = f"cp{major}{minor}"
    return {
        *cpython_tags((major, minor), abis=[interpreter], platforms=platforms),
        *compatible_tags((major, minor), interpreter=interpreter, platforms=platforms),
    }


def marker_environment(image: Image) -> dict[str, str]:
    return {
        "implementation_name": "cpython",
        "implementation_version": image["python"],
        "os_name": "posix",
        "platform_machine": image["arch"],
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_system": "Linux",
        "platform_version": "",
        "python_full_version": image["python"],
        "python_version": ".".join(image["python"].split(".")[:2]),
        "sys_platform": "linux",
        "extra": "",
    }


def read_wheel(path: Path, image: Image, tags: set[Tag]) -> dict[str, object]:
    found: dict[str, object] = {"file": path.name, "faults": []}
    faults: list[dict[str, str]] = []
    try:
        name, version, _, own_tags = parse_wheel_filename(path.name)
    except (InvalidWheelFilename, InvalidVersion) as error:
        return {**found, "faults": [{"code": "wheel-name", "problem": f"has an invalid name: {short(error)}"}]}
    found |= {"project": name, "version": str(version)}
    if not own_tags & tags:
        problem = f"is for {', '.join(sorted(map(str, own_tags))[:3])}, not for CPython 3.13 on Linux {image['arch']}"
        faults.append({"code": "wheel-tag", "problem": problem})
    try:
        check_size(path)
        with zipfile.ZipFile(path) as wheel:
            check_headers(path, wheel)
            names = [entry.filename for entry in wheel.infolist()]
            found["modules"] = modules_of(names)
            for fault in faults_in(wheel, names, name, version, image):
                faults.append({"code": fault.code, "problem": fault.problem})
    except Fault as fault:
        faults.append({"code": fault.code, "problem": fault.problem})
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, ValueError) as error:
        faults.append({"code": "wheel-zip", "problem": f"is not a valid zip file: {short(error)}"})
    except MemoryError:
        faults.append({"code": "wheel-size", "problem": "needs too much memory to read"})
    return {**found, "faults": faults}


def short(error: object) -> str:
    return " ".join(str(error).split())[:200]


def check_size(path: Path) -> None:
    """zipfile reads the directory of an archive as a whole, so its size is checked first."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 65557))
        tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at == -1 or len(tail) < at + 20:
        start = "a Git LFS pointer" if tail.startswith(b"version https://git-lfs") else "not a zip file"
        raise Fault("wheel-zip", f"is {start}")
    (directory,) = struct.unpack("<I", tail[at + 12 : at + 16])
    if directory != 0xFFFFFFFF and directory > LARGEST_DIRECTORY:
        raise Fault("wheel-size", f"has a file list of {directory} bytes")


HEADER = struct.Struct("<4xBxH10xLL4x")  # of a file: the needed version of unzip, flags, and two sizes
# Flags: the sizes follow the data; the file is encrypted or a patch, which uv cannot read.
STREAMED, UNREADABLE = 0x08, 0x61
IN_EXTRA = 0xFFFFFFFF
NEWEST_ZIP = 63


def check_headers(path: Path, wheel: zipfile.ZipFile) -> None:
    """Checks the header of each file as uv does. zipfile reads only the directory of the archive."""
    with path.open("rb") as file:
        for entry in wheel.infolist():
            file.seek(entry.header_offset)
            needs, flags, packed, unpacked = HEADER.unpack(file.read(HEADER.size).ljust(HEADER.size, b"\0"))
            is_readable = needs <= NEWEST_ZIP and not flags & UNREADABLE and not (flags ^ entry.flag_bits) & STREAMED
            is_streamed = bool(flags & STREAMED) and packed == unpacked == 0
            sizes = ((packed, entry.compress_size), (unpacked, entry.file_size))
            if not is_readable or not (is_streamed or all(own in (size, IN_EXTRA) for own, size in sizes)):
                raise Fault("wheel-zip", f"has a header that uv rejects, for the file {entry.filename[:100]!r}")


def faults_in(wheel: zipfile.ZipFile, names: list[str], name: str, version: Version, image: Image) -> Iterator[Fault]:
    for entry in names:
        path = PurePosixPath(entry)
        if path.is_absolute() or ".." in path.parts or "\\" in entry or re.match(r"[A-Za-z]:", entry):
            raise Fault("wheel-path", f"has the file {entry[:100]!r}, which is outside of its folder")
    unpacked = sum(entry.file_size for entry in wheel.infolist())
    packed = sum(entry.compress_size for entry in wheel.infolist())
    if unpacked > LARGEST_WHEEL or (unpacked > 100 * 2**20 and unpacked > LARGEST_RATIO * max(packed, 1)):
        raise Fault("wheel-size", f"unpacks {packed} bytes to {unpacked}")
    info = info_folder(names, name, version)
    yield from metadata_faults(text_of(wheel, f"{info}/METADATA"), name, version, image)
    if f"{info}/WHEEL" not in names:
        yield Fault("wheel-metadata", "has no WHEEL file")
    if f"{info}/RECORD" not in names:
        check_content(wheel)
        yield Fault("wheel-no-record", "has no RECORD")
    else:
        yield from record_faults(wheel, info)


def info_folder(names: list[str], name: str, version: Version) -> str:
    folders = sorted({entry.split("/")[0] for entry in names if entry.split("/")[0].endswith(".dist-info")})
    if len(folders) != 1:
        raise Fault("wheel-metadata", f"has {len(folders)} .dist-info folders")
    if f"{folders[0]}/METADATA" not in names:
        raise Fault("wheel-metadata", "has no METADATA")
    project, _, own = folders[0].removesuffix(".dist-info").rpartition("-")
    if canonicalize_name(project) != name or not is_version(own, version):
        raise Fault("wheel-metadata", f"has the folder {folders[0]}, which is not {name}-{version}.dist-info")
    return folders[0]


def is_version(text: str, version: Version) -> bool:
    try:
        return Version(text.replace("_", "-")) == version or Version(text) == version
    except InvalidVersion:
        return False


def text_of(wheel: zipfile.ZipFile, name: str) -> bytes:
    with wheel.open(name) as file:
        data = file.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise Fault("wheel-size", f"has a {name.split('/')[-1]} of more than {LARGEST_TEXT} bytes")
    return data


def metadata_faults(data: bytes, name: str, version: Version, image: Image) -> Iterator[Fault]:
    metadata = BytesParser().parsebytes(data, headersonly=True)
    own_name, own_version = str(metadata["Name"] or ""), str(metadata["Version"] or "")
    if canonicalize_name(own_name) != name:
        yield Fault("wheel-other-name", f"is named {own_name[:100]!r} in its METADATA")
    if not is_version(own_version, version):
        yield Fault("wheel-other-name", f"has version {own_version[:100]!r} in its METADATA")
    wanted = metadata["Requires-Python"]
    with contextlib.suppress(InvalidSpecifier):
        if wanted is not None and image["python"] not in SpecifierSet(str(wanted)):
            yield Fault("wheel-python", f"requires Python {str(wanted)[:100]}, not {image['python']}")
    environment = marker_environment(image)
    for text in metadata.get_all("Requires-Dist", []):
        with contextlib.suppress(InvalidRequirement):
            requirement = Requirement(str(text))
            if requirement.url and applies(requirement.marker, environment):
                yield Fault("closure-url", f"depends on a URL: {str(text)[:200]}")


def applies(marker: Marker | None, environment: dict[str, str]) -> bool:
    return marker is None or marker.evaluate(environment)


def check_content(wheel: zipfile.ZipFile) -> None:
    """Reads all files, so that zipfile compares their checksums."""
    broken = wheel.testzip()
    if broken is not None:
        raise Fault("wheel-zip", f"has a damaged file: {broken[:100]}")


def record_faults(wheel: zipfile.ZipFile, info: str) -> Iterator[Fault]:
    record = dict(record_rows(text_of(wheel, f"{info}/RECORD")))
    wrong: list[str] = []
    for entry in wheel.infolist():
        algorithm, _, wanted = record.get(entry.filename, "").partition("=")
        digest = hashlib.new(algorithm) if algorithm in ("sha256", "sha384", "sha512") else None
        with wheel.open(entry) as file:
            while chunk := file.read(CHUNK):
                if digest is not None:
                    digest.update(chunk)
        if digest is not None and base64.urlsafe_b64encode(digest.digest()).rstrip(b"=") != wanted.encode():
            wrong.append(entry.filename)
    if wrong:
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        yield Fault("wheel-record", f"has a wrong hash in RECORD for {wrong[0][:100]}{more}")


def record_rows(data: bytes) -> Iterator[tuple[str, str]]:
    for line in data.decode("utf-8", "replace").splitlines():
        path, _, rest = line.rpartition(",")
        path, _, digest = path.rpartition(",")
        if rest is not None:
            yield path.strip('"'), digest


def modules_of(names: list[str]) -> list[str]:
    """The names that can be imported, apart from those below `.data` folders."""
    found: set[str] = set()
    for entry in names:
        first, slash, _ = entry.partition("/")
        if first.endswith((".dist-info", ".data")):
            continue
        found.add(first if slash else re.sub(r"\.(py|pyd|.*\.so)$", "", first))
    return sorted(found)[:1000]


def read_source(path: Path) -> dict[str, object] | None:
    """The syntax error of a Python file."""
    try:
        data = path.read_bytes() if path.stat().st_size <= LARGEST_SOURCE else b""
        ast.parse(data, filename=path.name)
    except SyntaxError as error:
        return {"path": str(path), "line": error.lineno, "problem": short(error.msg)}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"path": str(path), "line": None, "problem": short(error) or "is too complex to parse"}
    except OSError:
        return None
    return None


def limit_memory() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    limit_memory()
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    image: Image = {"arch": request["arch"], "python": request["python"], "glibc": request["glibc"]}
    tags = supported_tags(image)
    answer = {
        "wheels": [read_wheel(Path(path), image, tags) for path in request["wheels"]],
        "sources": [found for path in request["sources"] if (found := read_source(Path(path)))],
    }
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
