"""Drives Zaguan with the official Python client and prints what it saw as one JSON object.

python-client.py http URL | stdio COMMAND ARGS…
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters


async def main(kind: str, target: list[str]) -> None:
    server = target[0] if kind == "http" else StdioServerParameters(command=target[0], args=target[1:])
    async with Client(server) as client:
        listed = await client.list_tools()
        switched = await client.call_tool("set_light_state", {"name": "salon", "on": True})
        lights = await client.call_tool("list_lights_on", {})
        refused = await client.call_tool("set_light_state", {"name": "salon", "on": "yes"})
        try:
            await client.call_tool("no_such_tool", {})
            unknown = None
        except MCPError as error:
            unknown = error.error.code
        seen = {
            "server": client.server_info.name,
            "version": client.protocol_version,
            "tools": [tool.name for tool in listed.tools],
            "switched": plain(switched),
            "lights": plain(lights),
            "refused": plain(refused),
            "unknown": unknown,
        }
    print(json.dumps(seen))


def plain(result) -> dict:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
