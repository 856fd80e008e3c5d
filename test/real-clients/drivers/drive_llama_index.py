"""llama-index: `BasicMCPClient` and the tools that `McpToolSpec` makes of it, each call in a session of its own."""

from driving import LONG, SAMPLED, SAMPLING, Seen, Target, main, text_of, use
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
from mcp_types import CreateMessageResult, TextContent


async def sampled(context, params):
    return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text=SAMPLED))


async def drive(target: Target, seen: Seen) -> None:
    client = BasicMCPClient(target.words[0], args=target.words[1:], sampling_callback=sampled)

    async def names() -> list[str]:
        return [tool.metadata.name for tool in await McpToolSpec(client=client).to_tool_list_async()]

    async def call(name, arguments) -> str:
        return text_of(await client.call_tool(name, arguments))

    async def progressed(progress, total, message) -> None:
        seen.progress.append(progress)

    await use(seen, names, call)
    if target.kind == "stdio":
        return  # Each call starts another hub, behind which the server is not up yet.
    seen.progress = []
    await client.call_tool(*LONG, progress_callback=progressed)
    seen.sampled = await call(*SAMPLING)


main(drive)
