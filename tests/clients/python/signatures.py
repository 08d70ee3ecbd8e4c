"""Signs cards and verifies signatures of cards by the utilities of a2a-sdk 1.x.

    python signatures.py FILE

The file has `keys`, private ones as a JWKS; `verify`, cards by name; and `sign`, cards by name, with the id of the key. A line of
JSON for each says whether a signature of the card holds, or is the card that was signed.
"""

import json
import sys

from a2a.types.a2a_pb2 import AgentCard
from a2a.utils.signing import (
    SignatureVerificationError,
    create_agent_card_signer,
    create_signature_verifier,
)
from google.protobuf.json_format import MessageToDict, ParseDict
from jwt.api_jwk import PyJWK


def read(card: dict) -> AgentCard:
    return ParseDict(card, AgentCard(), ignore_unknown_fields=True)


def main() -> None:
    with open(sys.argv[1], encoding='utf-8') as file:
        asked = json.load(file)
    private = {key['kid']: key for key in asked['keys']}
    public = {
        name: {member: value for member, value in key.items() if member in ('kty', 'crv', 'alg', 'n', 'e', 'x', 'y')}
        for name, key in private.items()
    }
    algorithms = sorted({key['alg'] for key in private.values()})
    verify = create_signature_verifier(lambda kid, jku: PyJWK.from_dict(public[kid]), algorithms)
    for name, card in asked['verify'].items():
        try:
            verify(read(card))
            saw = 'holds'
        except SignatureVerificationError as error:
            saw = type(error).__name__
        print(json.dumps({'verified': name, 'saw': saw}))
    for name, (card, kid) in asked['sign'].items():
        key = PyJWK.from_dict(private[kid])
        sign = create_agent_card_signer(key, {'kid': kid, 'alg': kid, 'jku': None, 'typ': 'JOSE'})
        print(json.dumps({'signed': name, 'card': MessageToDict(sign(read(card)))}))


main()
