"""fastmcp's own `Client`."""

from driving import ASKING, LONG, PERSON, SAMPLED, SAMPLING, Seen, Target, main, text_of, use
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport


def transport(target: Target):
    if target.kind == "stdio":
        return StdioTransport(command=target.command, args=target.args, keep_alive=False)
    return SSETransport(target.url) if target.kind == "sse" else StreamableHttpTransport(target.url)


async def elicited(message, response_type, params, context):
    return ElicitResult(action="accept", content=PERSON)


async def sampled(messages, params, context):
    return SAMPLED


async def drive(target: Target, seen: Seen) -> None:
    async def progressed(progress, total, message) -> None:
        seen.progress.append(progress)

    mode = "legacy" if target.kind == "http-legacy" else "auto"
    asked = {"elicitation_handler": elicited, "sampling_handler": sampled}
    async with Client(transport(target), mode=mode, cache=False, **asked) as client:
        seen.progress = []

        async def call(name, arguments) -> str:
            return text_of(await client.call_tool(name, arguments))

        async def names() -> list[str]:
            return [tool.name for tool in await client.list_tools()]

        await use(seen, names, call)
        await client.call_tool(*LONG, progress_handler=progressed)
        seen.elicited = await call(*ASKING)
        seen.sampled = await call(*SAMPLING)


main(drive)
