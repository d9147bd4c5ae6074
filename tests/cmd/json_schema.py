#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The JSON of every verb has a schema in docs/schema/, made of the columns that the program states.

usage: json_schema.py BIN SCHEMA_DIR                  compare the schemas with the program's columns
       json_schema.py BIN SCHEMA_DIR --update         write them anew: raise SCHEMA_VERSION if a
                                                      column went or changed its meaning
       json_schema.py BIN SCHEMA_DIR VERB FILE...     validate the rows that the verb prints
"""
import json
import pathlib
import subprocess
import sys

TYPES = {"integer": "integer", "real": "number", "text": "string"}


def report(bin_dir, *words):
    result = subprocess.run([f"{bin_dir}/probe-report", *words, "-q"], stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout)


def schema_of(verb, columns):
    """A verb may have other columns with another --by: a row has those that are in all of them, and perhaps more."""
    whens = {column["when"] for column in columns}
    found = [column["column"] for column in columns]
    properties = {"schema": {"const": 1, "description": "version of these columns"}}
    for column in columns:
        entry = {"description": column["help"]}
        if column["type"] in TYPES:
            entry["type"] = [TYPES[column["type"]], "null"]
        properties[column["column"]] = entry
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"probe-report {verb} --format json",
        "type": "array",
        "items": {"type": "object", "properties": properties, "required": ["schema", *(name for name in properties if found.count(name) == len(whens))],
                  "additionalProperties": False},
    }


def schemas(bin_dir):
    verbs = {}
    for column in report(bin_dir, "list", "--format", "json"):
        verbs.setdefault(column["verb"], []).append(column)
    return {verb: schema_of(verb, columns) for verb, columns in verbs.items()}


def fits(value, types):
    kinds = {"integer": int, "number": (int, float), "string": str, "null": type(None)}
    return any(isinstance(value, kinds[name]) and not isinstance(value, bool) for name in types)


def validate(schema, rows):
    """Those parts of JSON Schema that schema_of() uses."""
    properties, required = schema["items"]["properties"], set(schema["items"]["required"])
    assert isinstance(rows, list) and rows, "no rows"
    for row in rows:
        assert required <= set(row) <= set(properties), f"columns differ: {set(row) ^ set(properties)}"
        for name, value in row.items():
            if "type" in properties[name]:
                assert fits(value, properties[name]["type"]), f"{name}: {value!r}"
        assert row["schema"] == properties["schema"]["const"]


def main(bin_dir, folder, *rest):
    folder = pathlib.Path(folder)
    if rest and rest[0] != "--update":
        schema = json.loads((folder / f"{rest[0]}.json").read_text())
        validate(schema, report(bin_dir, rest[0], "--format", "json", *rest[1:]))
        return 0
    made = {f"{verb}.json": json.dumps(schema, indent=1) + "\n" for verb, schema in schemas(bin_dir).items()}
    if rest:
        for name, text in made.items():
            (folder / name).write_text(text)
        return 0
    failed = {path.name for path in folder.glob("*.json")} ^ set(made)
    failed |= {name for name, text in made.items()
               if (folder / name).exists() and (folder / name).read_text() != text}
    for name in sorted(failed):
        print(f"docs/schema/{name} is not what probe-report prints: json_schema.py --update")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
