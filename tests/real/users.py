"""The users of the agents in Python, and how they show who they are. Nothing here knows an SDK."""

import dataclasses
from collections.abc import Mapping

# Has the token where it is an API key, in small letters, as metadata of gRPC is.
API_KEY = 'x-api-key'


@dataclasses.dataclass
class Users:
    """False where everybody is let in."""

    # Their names by their tokens.
    names: dict[str, str]
    # Whether a token is an API key in a header of its own, and no bearer token.
    api_key: bool = False

    def __bool__(self) -> bool:
        return bool(self.names)

    def name_of(self, headers: Mapping[str, str]) -> str | None:
        """The name of the user whose token these headers, or these metadata, show."""
        if self.api_key:
            return self.names.get(headers.get(API_KEY, ''))
        scheme, _, token = headers.get('authorization', '').partition(' ')
        return self.names.get(token) if scheme.lower() == 'bearer' else None

    @property
    def challenge(self) -> str:
        """What `WWW-Authenticate` asks for. API keys have no registered scheme: this is the name that FastAPI gives them."""
        return 'APIKey' if self.api_key else 'Bearer'
