"""What the drivers of all Python clients share: what they are told, what they ask, and how they say what they saw.

drive_CLIENT.py http URL | sse URL | stdio COMMAND ARGS…
"""

import asyncio
import json
import sys
from dataclasses import dataclass, field

PERSON = {"name": "Ana Núñez", "check": True, "email": "ana@example.org", "integer": 7, "number": 2.5}
SAMPLED = "cuatro 你好"
STEPS = 4
LONG = ("trigger-long-running-operation", {"duration": 0.4, "steps": STEPS})
ASKING = ("trigger-elicitation-request", {})
SAMPLING = ("trigger-sampling-request", {"prompt": "dos y dos", "maxTokens": 20})


@dataclass
class Target:
    kind: str
    words: list[str]

    @property
    def url(self) -> str:
        return self.words[0]

    @property
    def command(self) -> str:
        return self.words[0]

    @property
    def args(self) -> list[str]:
        return self.words[1:]


@dataclass
class Seen:
    """Nothing for what a client does not offer."""

    tools: list[str] = field(default_factory=list)
    switched: str = ""
    echoed: str = ""
    revision: str | None = None
    progress: list | None = None
    elicited: str | None = None
    sampled: str | None = None


async def joined(names) -> list[str]:
    """The tools' names, once the server behind the hub is up."""
    for _ in range(300):
        found = await names()
        if "echo" in found:
            return found
        await asyncio.sleep(0.1)
    raise TimeoutError(f"server-everything did not join: {found}")


async def use(seen: Seen, names, call) -> None:
    """What every client can do: list and call."""
    seen.tools = await joined(names)
    seen.switched = await call("set_light_state", {"name": "salon", "on": True})
    seen.echoed = await call("echo", {"message": "ñ 你好 😀"})


def text_of(result) -> str:
    """All text of a result of the official package, first or second line."""
    return "\n".join(block.text for block in result.content if block.type == "text")


def main(drive) -> None:
    seen = Seen()
    asyncio.run(asyncio.wait_for(drive(Target(sys.argv[1], sys.argv[2:]), seen), 90))
    print(json.dumps(vars(seen)))
