"""An adapter of a small reader of event streams: a2aspec fuzz --kind sse --parser 'python3 examples/parsers/sse_reader.py'.

With a word behind it, the reader has a bug of the kind that real ones have: no-cr, bom, crash, hang, strip.
"""

import json
import re
import struct
import sys
import time

BUG = sys.argv[1] if len(sys.argv) > 1 else ""


def read(data):
    text = data.decode("utf-8", errors="replace")
    if BUG != "bom":
        text = text.removeprefix("\ufeff")
    lines = re.split("\n" if BUG == "no-cr" else "\r\n|\n|\r", text)
    # What follows the last line end is no line.
    lines.pop()
    events, kind, data, last_id, retry = [], "", [], "", None
    for line in lines:
        if line == "":
            if data:
                events.append({"event": kind or "message", "data": "\n".join(data), "id": last_id, "retry": retry})
            kind, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value.strip() if BUG == "strip" else value.removeprefix(" ")
        if BUG == "hang" and len(data) > 2:
            time.sleep(3600)
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id" and "\0" not in value:
            last_id = value
        elif name == "retry":
            if BUG == "crash" and not value.isdigit():
                sys.exit(3)
            if re.fullmatch("[0-9]+", value):
                retry = int(value)
    return events


def main():
    inputs = sys.stdin.buffer
    while length := inputs.read(4):
        events = read(inputs.read(struct.unpack(">I", length)[0]))
        print(json.dumps({"accepted": True, "value": events}), flush=True)


main()
