"""An adapter of what the client in a2a-sdk 1.x for Python reads of A2A 1.0; in an environment that has it:

    a2aspec fuzz --kind task --profile 1.0 --parser 'python3 examples/parsers/a2a_sdk.py task'
"""

import json
import struct
import sys

from google.protobuf.json_format import MessageToDict, ParseDict

from a2a.client.card_resolver import parse_agent_card
from a2a.types import Message, StreamResponse, Task
from a2a.utils.proto_utils import parse_lenient

# As its transports do it: the body is JSON first, and then a message of the protocol buffers.
READ = {
    "card": parse_agent_card,
    "event": lambda value: parse_lenient(value, StreamResponse()),
    # The library beneath, as strict as it is by itself.
    "protojson": lambda value: ParseDict(value, StreamResponse()),
    "message": lambda value: parse_lenient(value, Message()),
    "task": lambda value: parse_lenient(value, Task()),
}


def answer(read, data):
    try:
        message = read(json.loads(data))
    except Exception as error:  # Whatever it throws, its caller has no message.
        return json.dumps({"accepted": False, "error": str(error)})
    try:
        return json.dumps({"accepted": True, "value": MessageToDict(message)}, allow_nan=False)
    except (ValueError, RecursionError):
        # Read, but as something that JSON cannot say: 1e400 is infinite in Python.
        return json.dumps({"accepted": True})


def main():
    read = READ[sys.argv[1]]
    inputs = sys.stdin.buffer
    while length := inputs.read(4):
        print(answer(read, inputs.read(struct.unpack(">I", length)[0])), flush=True)


main()
