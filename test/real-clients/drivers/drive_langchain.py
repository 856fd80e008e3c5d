"""langchain-mcp-adapters: tools for LangChain, each call in a session of its own, or over stdio all in one."""

from contextlib import AsyncExitStack

from driving import ASKING, LONG, PERSON, Seen, Target, main, use
from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp.types import ElicitResult

TRANSPORTS = {"http": "streamable_http", "sse": "sse", "stdio": "stdio"}


async def elicited(mcp_context, params, context):
    return ElicitResult(action="accept", content=PERSON)


async def drive(target: Target, seen: Seen) -> None:
    async def progressed(progress, total, message, context) -> None:
        seen.progress.append(progress)

    place = {"command": target.command, "args": target.args} if target.kind == "stdio" else {"url": target.url}
    connection = {"transport": TRANSPORTS[target.kind], **place}
    callbacks = Callbacks(on_progress=progressed, on_elicitation=elicited)
    client = MultiServerMCPClient({"hub": connection}, callbacks=callbacks)
    tools = {}

    async with AsyncExitStack() as open_sessions:
        # Another hub for every call would be asked before the server behind it is up.
        session = await open_sessions.enter_async_context(client.session("hub")) if target.kind == "stdio" else None

        async def names() -> list[str]:
            found = await load_mcp_tools(session, callbacks=callbacks) if session else await client.get_tools()
            tools.update({tool.name: tool for tool in found})
            return list(tools)

        async def call(name, arguments) -> str:
            blocks = await tools[name].ainvoke(arguments)
            return "\n".join(block["text"] for block in blocks)

        await use(seen, names, call)
        seen.progress = []
        await call(*LONG)
        seen.elicited = await call(*ASKING)


main(drive)
