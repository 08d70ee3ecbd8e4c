"""An adapter of Python's json module: a2aspec fuzz --kind json --parser 'python3 examples/parsers/json_reader.py'."""

import json
import struct
import sys


def refuse(literal):
    raise ValueError(f"{literal} is no JSON")


def read(data):
    # The module takes NaN and Infinity unless it is told not to.
    return json.loads(data.decode("utf-8"), parse_constant=refuse)


def answer(data):
    try:
        value = read(data)
    except (ValueError, RecursionError) as error:
        return json.dumps({"accepted": False, "error": str(error)})
    try:
        return json.dumps({"accepted": True, "value": value}, allow_nan=False)
    except (ValueError, RecursionError):
        # Read, but as something that JSON cannot say: 1e400 is infinite in Python.
        return json.dumps({"accepted": True})


def main():
    inputs = sys.stdin.buffer
    while length := inputs.read(4):
        print(answer(inputs.read(struct.unpack(">I", length)[0])), flush=True)


main()
