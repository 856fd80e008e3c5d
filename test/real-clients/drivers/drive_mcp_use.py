"""mcp-use: `MCPClient`, without an agent or a model."""

from driving import ASKING, PERSON, SAMPLED, SAMPLING, Seen, Target, main, text_of, use
from mcp.types import CreateMessageResult, ElicitResult, TextContent
from mcp_use.client import MCPClient


async def elicited(context, params):
    return ElicitResult(action="accept", content=PERSON)


async def sampled(context, params):
    return CreateMessageResult(role="assistant", model="m", content=TextContent(type="text", text=SAMPLED))


async def drive(target: Target, seen: Seen) -> None:
    place = {"command": target.command, "args": target.args} if target.kind == "stdio" else {"url": target.url}
    client = MCPClient({"mcpServers": {"hub": place}}, sampling_callback=sampled, elicitation_callback=elicited)
    session = await client.create_session("hub")

    async def call(name, arguments) -> str:
        return text_of(await session.call_tool(name, arguments))

    async def names() -> list[str]:
        return [tool.name for tool in await session.list_tools()]

    await use(seen, names, call)
    seen.elicited = await call(*ASKING)
    seen.sampled = await call(*SAMPLING)
    await client.close_all_sessions()


main(drive)
