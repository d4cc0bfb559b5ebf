#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weaves the faults of the zoo into copies of the runtime's sources.

usage: weave.py OUTPUT_DIR --root PROJECT --faults FAULT.toml... --sources SOURCE.cpp...

Writes to OUTPUT_DIR a copy of each source, under its own file name, with every change that the faults make to it behind
a question to planted(), and planted_faults.cpp, the table of the faults. Every original text must occur exactly once in
the source as woven so far, so that a change of the runtime cannot detach a fault unseen. README.md has the keys of a
fault's file.
"""

import argparse
import pathlib
import re
import sys
import tomllib

FORMS = ("statement", "expression", "insert")
FAULT_KEYS = {"name", "about", "scenarios", "change"}
CHANGE_KEYS = {"file", "original", "buggy", "form"}


class WeaveError(Exception):
    pass


def require(condition, message):
    if not condition:
        raise WeaveError(message)


def load_fault(path):
    try:
        fault = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, OSError) as error:
        raise WeaveError(f"{path}: {error}") from None
    unknown = sorted(fault.keys() - FAULT_KEYS)
    require(not unknown, f"{path}: unknown key {', '.join(unknown)}; allowed: {', '.join(sorted(FAULT_KEYS))}")
    name = fault.get("name")
    require(name == path.stem, f"{path}: name is {name!r}; it must be the file's, {path.stem!r}")
    require(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name), f"{path}: name {name!r}: lower-case words joined by '-'")
    about = fault.get("about")
    require(isinstance(about, str) and about.strip(), f"{path}: about must be one sentence")
    scenarios = fault.setdefault("scenarios", [])
    require(isinstance(scenarios, list) and all(isinstance(row, str) for row in scenarios),
            f"{path}: scenarios must be a list of strings, possibly empty")
    changes = fault.get("change", [])
    require(isinstance(changes, list) and changes, f"{path}: a fault needs at least one [[change]]")
    for number, change in enumerate(changes, 1):
        where = f"{path}: change {number}"
        unknown = sorted(change.keys() - CHANGE_KEYS)
        require(not unknown, f"{where}: unknown key {', '.join(unknown)}; allowed: {', '.join(sorted(CHANGE_KEYS))}")
        for key in ("file", "original"):
            require(isinstance(change.get(key), str) and change[key].strip(), f"{where}: {key} is missing or empty")
        require(isinstance(change.get("buggy"), str), f"{where}: buggy is missing")
        form = change.setdefault("form", "statement")
        require(form in FORMS, f"{where}: form is {form!r}; allowed: {', '.join(FORMS)}")
    return fault


def woven(change, index):
    original, buggy = change["original"], change["buggy"]
    question = f"planted(PlantedFault{{{index}}})"
    if change["form"] == "expression":
        return f"({question} ? ({buggy}) : ({original}))"
    if change["form"] == "insert":
        return f"{original}\nif ({question}) {{\n{buggy}\n}}\n"
    return f"{{\nif ({question}) {{\n{buggy}\n}} else {{\n{original}\n}}\n}}\n"


def weave(texts, faults):
    """Applies every fault, in the order given, to `texts` (file, relative to the root -> text)."""
    for index, (path, fault) in enumerate(faults):
        for change in fault["change"]:
            file, original = change["file"], change["original"]
            where = f"fault {fault['name']} ({path}): {file}"
            require(file in texts, f"{where} is not a source that is woven; those are {', '.join(sorted(texts))}")
            found = texts[file].count(original)
            require(found > 0, f"{where} does not contain the original text:\n{original}")
            require(found == 1, f"{where} contains the original text {found} times, it must occur once:\n{original}")
            texts[file] = texts[file].replace(original, woven(change, index))


def with_include(file, text):
    """Adds the question's header after the first include."""
    first = re.search(r'^#include .*\n', text, flags=re.MULTILINE)
    require(first, f"{file}: has no #include after which that of planted.h could stand")
    return text[:first.end()] + '#include "property_tests/zoo/planted.h"\n' + text[first.end():]


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def table(faults):
    lines = ["// Written by property_tests/zoo/weave.py.", "#include <array>", '#include "property_tests/zoo/planted.h"', "",
             "namespace svmrt {", "", "namespace {", ""]
    rows = []
    for index, (_, fault) in enumerate(faults):
        scenarios = fault["scenarios"]
        if scenarios:
            lines.append(f"constexpr std::array<std::string_view, {len(scenarios)}> kScenarios{index} = "
                         f"{{{', '.join(quoted(row) for row in scenarios)}}};")
        rows.append(f"    PlantedFaultInfo{{{quoted(fault['name'])}, {quoted(fault['about'])}, "
                    f"{f'kScenarios{index}' if scenarios else '{}'}}},")
    lines += ["", f"constexpr std::array<PlantedFaultInfo, {len(faults)}> kFaults = {{{{", *rows, "}};", "",
              "}  // namespace", "", "std::span<const PlantedFaultInfo> planted_faults() { return kFaults; }", "",
              "}  // namespace svmrt", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--faults", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--sources", type=pathlib.Path, nargs="+", required=True)
    arguments = parser.parse_args()

    paths = sorted(arguments.faults, key=lambda path: path.stem)
    for folder in {path.parent for path in paths}:
        listed = {path.name for path in paths if path.parent == folder}
        unlisted = sorted(path.name for path in folder.glob("*.toml") if path.name not in listed)
        require(not unlisted, f"{folder}: not listed in meson.build: {', '.join(unlisted)}")
    faults = [(path, load_fault(path)) for path in paths]
    for (path, fault), (next_path, next_fault) in zip(faults, faults[1:]):
        require(fault["name"] != next_fault["name"], f"{path} and {next_path}: two faults of one name")

    root = arguments.root.resolve()
    texts = {}
    for source in arguments.sources:
        texts[source.resolve().relative_to(root).as_posix()] = source.read_text(encoding="utf-8")
    weave(texts, faults)
    arguments.output.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        name = file.rsplit("/", 1)[-1]
        (arguments.output / name).write_text(with_include(file, text), encoding="utf-8")
    (arguments.output / "planted_faults.cpp").write_text(table(faults), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except WeaveError as error:
        sys.exit(f"weave.py: {error}")
