"""mutate_wheels.py GOOD OUT COUNT SEED: copies of a package, each with one change to one wheel.

The kinds of changes take turns; everything else is chosen by the seed. Prints a JSON list of what was changed.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
import zipfile
from pathlib import Path


def content_of(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(wheel: Path, content: dict[str, bytes]) -> None:
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data)


def edit(wheel: Path, name: str, lines: list[str]) -> None:
    """Replace a file of the .dist-info folder."""
    content = content_of(wheel)
    path = next(each for each in content if each.endswith(f".dist-info/{name}"))
    write(wheel, content | {path: "".join(f"{line}\n" for line in lines).encode()})


def lines_of(wheel: Path, name: str) -> list[str]:
    content = content_of(wheel)
    return next(data for each, data in content.items() if each.endswith(f".dist-info/{name}")).decode().splitlines()


def flipped_byte(wheel: Path, rng: random.Random) -> str:
    data = bytearray(wheel.read_bytes())
    at = rng.randrange(len(data))
    data[at] ^= 1 << rng.randrange(8)
    wheel.write_bytes(data)
    return f"byte {at} flipped"


def renamed_key(wheel: Path, rng: random.Random) -> str:
    lines = lines_of(wheel, "METADATA")
    at = rng.randrange(len(lines))
    key, _, value = lines[at].partition(":")
    lines[at] = f"{rng.choice([f'{key}s', key[:-1], f'X-{key}', key.lower()])}:{value}"
    edit(wheel, "METADATA", lines)
    return f"METADATA: {key} became {lines[at]!r}"


def removed_line(wheel: Path, rng: random.Random) -> str:
    lines = lines_of(wheel, "RECORD")
    line = lines.pop(rng.randrange(len(lines)))
    edit(wheel, "RECORD", lines)
    return f"RECORD without {line!r}"


def changed_tag(wheel: Path, rng: random.Random) -> str:
    name, version = wheel.stem.split("-")[:2]
    python = rng.choice(["py3", "py2", "py33", "py313", "py314", "cp312", "cp313", "cp314", "pp311", "py2.py3"])
    abi = rng.choice(["none", "none", "abi3", "cp312", "cp313", "cp313t"])
    platforms = ["any", "linux_x86_64", "manylinux_2_28_x86_64", "manylinux_2_40_x86_64", "manylinux1_x86_64"]
    platforms += ["musllinux_1_2_x86_64", "manylinux_2_28_aarch64", "macosx_11_0_arm64", "win_amd64"]
    renamed = wheel.with_name(f"{name}-{version}-{python}-{abi}-{rng.choice(platforms)}.whl")
    wheel.rename(renamed)
    return f"renamed to {renamed.name}"


def other_version(wheel: Path, rng: random.Random) -> str:
    name, version, *tags = wheel.stem.split("-")
    other = rng.choice([f"{version}.post1", "0.0.1", f"{version}1", "99.0"])
    line = b"Version: " + other.encode()
    changed = {
        path.replace(f"-{version}.dist-info", f"-{other}.dist-info"): re.sub(rb"(?m)^Version: .*", line, data)
        for path, data in content_of(wheel).items()
    }
    write(wheel.with_name("-".join([name, other, *tags]) + ".whl"), changed)
    return f"version {other}, too"


def truncated(wheel: Path, rng: random.Random) -> str:
    data = wheel.read_bytes()
    size = rng.randrange(len(data))
    wheel.write_bytes(data[:size])
    return f"cut to {size} bytes"


KINDS = [flipped_byte, renamed_key, removed_line, changed_tag, other_version, truncated]


def main() -> None:
    good, out, count, seed = sys.argv[1:]
    rng = random.Random(int(seed))
    made: list[dict[str, str]] = []
    for number in range(int(count)):
        package = Path(out) / f"wheels-{number}"
        shutil.copytree(good, package, symlinks=True)
        wheel = rng.choice(sorted((package / "wheels").iterdir()))
        name = wheel.name
        made.append({"package": package.name, "change": f"{name}: {KINDS[number % len(KINDS)](wheel, rng)}"})
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
