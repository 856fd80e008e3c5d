"""The official package, second line: `Client`, in the era that it finds by itself, or (`http-legacy`) with the handshake."""

from driving import ASKING, LONG, PERSON, SAMPLED, SAMPLING, Seen, Target, main, text_of, use
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp_types import CreateMessageResult, ElicitResult, TextContent


def server(target: Target):
    if target.kind == "stdio":
        return StdioServerParameters(command=target.command, args=target.args)
    return sse_client(target.url) if target.kind == "sse" else target.url


async def elicited(context, params):
    return ElicitResult(action="accept", content=PERSON)


async def sampled(context, params):
    return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text=SAMPLED))


async def drive(target: Target, seen: Seen) -> None:
    mode = "legacy" if target.kind in ("sse", "http-legacy") else "auto"
    asked = {"elicitation_callback": elicited, "sampling_callback": sampled}
    async with Client(server(target), mode=mode, **asked) as client:
        seen.revision = client.protocol_version
        seen.progress = []

        async def call(name, arguments) -> str:
            return text_of(await client.call_tool(name, arguments))

        async def progressed(progress, total, message) -> None:
            seen.progress.append(progress)

        async def names() -> list[str]:
            return [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]

        await use(seen, names, call)
        await client.call_tool(*LONG, progress_callback=progressed)
        seen.elicited = await call(*ASKING)
        seen.sampled = await call(*SAMPLING)


main(drive)
