"""openai-agents: its MCP servers, without an agent or a model."""

from agents.mcp import MCPServerSse, MCPServerStdio, MCPServerStreamableHttp
from driving import Seen, Target, main, text_of, use


def server(target: Target):
    if target.kind == "stdio":
        return MCPServerStdio({"command": target.command, "args": target.args}, client_session_timeout_seconds=30)
    kind = MCPServerSse if target.kind == "sse" else MCPServerStreamableHttp
    return kind({"url": target.url}, client_session_timeout_seconds=30)


async def drive(target: Target, seen: Seen) -> None:
    async with server(target) as connection:

        async def call(name, arguments) -> str:
            return text_of(await connection.call_tool(name, arguments))

        async def names() -> list[str]:
            return [tool.name for tool in await connection.list_tools()]

        await use(seen, names, call)


main(drive)
