"""pydantic-ai: `MCPToolset`, without an agent or a model."""

import json

from driving import ASKING, LONG, PERSON, SAMPLED, SAMPLING, Seen, Target, main, use
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import SSETransport, StdioTransport
from pydantic_ai.mcp import MCPToolset


def client(target: Target):
    if target.kind == "stdio":
        return StdioTransport(command=target.command, args=target.args, keep_alive=False)
    return SSETransport(target.url) if target.kind == "sse" else target.url


async def elicited(message, response_type, params, context):
    return ElicitResult(action="accept", content=PERSON)


async def sampled(messages, params, context):
    return SAMPLED


def text(result) -> str:
    """Several texts are a list, and a text that is JSON was read."""
    if isinstance(result, list):
        return "\n".join(text(part) for part in result)
    return result if isinstance(result, str) else json.dumps(result)


async def drive(target: Target, seen: Seen) -> None:
    async def progressed(progress, total, message) -> None:
        seen.progress.append(progress)

    asked = {"elicitation_handler": elicited, "sampling_handler": sampled, "progress_handler": progressed}
    async with MCPToolset(client(target), cache_tools=False, **asked) as toolset:
        seen.progress = []

        async def call(name, arguments) -> str:
            return text(await toolset.direct_call_tool(name, arguments))

        async def names() -> list[str]:
            return [tool.name for tool in await toolset.list_tools()]

        await use(seen, names, call)
        seen.progress = []
        await call(*LONG)
        seen.elicited = await call(*ASKING)
        seen.sampled = await call(*SAMPLING)


main(drive)
