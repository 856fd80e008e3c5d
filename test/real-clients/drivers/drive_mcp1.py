"""The official package, first line: `ClientSession` over each of its transports."""

from driving import ASKING, LONG, PERSON, SAMPLED, SAMPLING, Seen, Target, main, text_of, use
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CreateMessageResult, ElicitResult, TextContent


def transport(target: Target):
    if target.kind == "http":
        return streamable_http_client(target.url)
    if target.kind == "sse":
        return sse_client(target.url)
    return stdio_client(StdioServerParameters(command=target.command, args=target.args))


async def elicited(context, params):
    return ElicitResult(action="accept", content=PERSON)


async def sampled(context, params):
    return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text=SAMPLED))


async def drive(target: Target, seen: Seen) -> None:
    asked = {"elicitation_callback": elicited, "sampling_callback": sampled}
    async with transport(target) as (read, write, *_), ClientSession(read, write, **asked) as session:
        seen.revision = str((await session.initialize()).protocolVersion)
        seen.progress = []

        async def call(name, arguments) -> str:
            return text_of(await session.call_tool(name, arguments))

        async def progressed(progress, total, message) -> None:
            seen.progress.append(progress)

        async def names() -> list[str]:
            return [tool.name for tool in (await session.list_tools()).tools]

        await use(seen, names, call)
        await session.call_tool(*LONG, progress_callback=progressed)
        seen.elicited = await call(*ASKING)
        seen.sampled = await call(*SAMPLING)


main(drive)
