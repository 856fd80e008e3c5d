"""Drives server-everything, through Zaguan or without it, with the official Python client; prints what it saw as one JSON
object.

python-servers.py URL MODE
"""

import asyncio
import json
import sys

import mcp_types as types
from mcp import Client, MCPError

DOCUMENT = "demo://resource/static/document/features.md"
WATCHED = "demo://resource/dynamic/text/1"
TOGGLE_UPDATES = "toggle-subscriber-updates"
LONG = "trigger-long-running-operation"


async def main(url: str, mode: str) -> None:
    steps: list[list[float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        steps.append([progress, total])

    client = Client(
        url,
        mode=mode,
        elicitation_callback=elicit,
        sampling_callback=sample,
        list_roots_callback=roots,
    )
    async with client:
        seen = {
            "version": client.protocol_version,
            # A pinned client asks nobody who it speaks with.
            "server": client.server_info and client.server_info.name,
            "tools": [plain(tool) for tool in (await client.list_tools()).tools],
            "resources": [plain(resource) for resource in (await client.list_resources()).resources],
            "prompts": [plain(prompt) for prompt in (await client.list_prompts()).prompts],
            "document": [plain(contents) for contents in (await client.read_resource(DOCUMENT)).contents],
            "prompt": plain(await client.get_prompt("args-prompt", {"city": "Cádiz"}))["messages"],
            "completion": plain(await client.complete(PROMPT, {"name": "department", "value": "S"}))["completion"],
            "structured": contents_of(await client.call_tool("get-structured-content", {"location": "Chicago"})),
            "sampled": contents_of(await client.call_tool("trigger-sampling-request", {"prompt": "hola"})),
            "elicited": contents_of(await client.call_tool("trigger-elicitation-request", {})),
            "roots": contents_of(await client.call_tool("get-roots-list", {})),
            "long": contents_of(await client.call_tool(LONG, {"duration": 0.3, "steps": 3}, progress_callback=on_progress)),
            "steps": steps,
            "refused": await code_of(client.read_resource("demo://nowhere")),
        }
    seen["updated"] = None if mode == "legacy" else await update_of(WATCHED, url, mode)
    print(json.dumps(seen))


async def update_of(uri: str, url: str, mode: str) -> str:
    """The first that a client hears of this resource after it began to listen."""
    async with Client(url, mode=mode) as client, client.listen(resource_subscriptions=[uri]) as changes:
        await client.call_tool(TOGGLE_UPDATES, {})
        async for change in changes:
            await client.call_tool(TOGGLE_UPDATES, {})
            return change.uri
    raise RuntimeError("nothing was heard")


PROMPT = types.PromptReference(type="ref/prompt", name="completable-prompt")


async def elicit(context, params) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"name": "Ana Núñez", "integer": 7})


async def sample(context, params) -> types.CreateMessageResult:
    text = types.TextContent(type="text", text="cuatro")
    return types.CreateMessageResult(model="a-model", role="assistant", content=text, stop_reason="endTurn")


async def roots(context) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root(uri="file:///srv/shared", name="shared")])


async def code_of(awaitable) -> int | None:
    try:
        await awaitable
    except MCPError as error:
        return error.error.code
    return None


def contents_of(result) -> dict:
    return {key: value for key, value in plain(result).items() if key in ("content", "structuredContent", "isError")}


def plain(result) -> dict:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


asyncio.run(main(sys.argv[1], sys.argv[2]))
