#!/usr/bin/env python3
"""A session of the bridge from Python: finds the lights of Home Assistant and switches one on.

    pip install httpx
    python3 client.py [URL [LIGHT]]

URL is http://127.0.0.1:3003 and LIGHT is light.salon_lamp unless told otherwise. A hub that asks for a key takes it from
ZAGUAN_KEY.
"""

import asyncio
import os
import sys

import httpx


class BridgeError(Exception):
    """What the bridge refused, with its code."""

    def __init__(self, error: dict):
        super().__init__(f"{error['message']} ({error['code']})")
        self.code = error["code"]
        self.data = error.get("data", {})


class MCPBridgeClient:
    def __init__(self, base_url: str, key: str | None = None):
        self.base_url = base_url.rstrip("/")
        self.session_id = None
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        # A call may wait in the queue: the bridge answers within X-Timeout, so the client waits a little longer.
        self.client = httpx.AsyncClient(headers=headers, timeout=35)

    async def __aenter__(self):
        await self.initialize()
        return self

    async def __aexit__(self, *_):
        await self.client.delete(f"{self.base_url}/mcp/session", headers={"X-Session-ID": self.session_id})
        await self.client.aclose()

    async def initialize(self) -> dict:
        """Opens a session; it lasts for an hour after its last use."""
        answer = await self._post(
            "/mcp/initialize",
            {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "python-client", "version": "1.0"},
            },
        )
        self.session_id = answer["result"]["session_id"]
        return answer

    async def list_tools(self) -> list[dict]:
        answer = await self._post("/mcp/tools/list", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        return answer["result"]["tools"]

    async def call_tool(self, name: str, arguments: dict, priority: str = "MEDIUM") -> dict:
        """Calls a tool. A session that has expired is opened anew, once; nothing was called then."""
        try:
            return await self._call(name, arguments, priority)
        except BridgeError as error:
            if error.code != -32001:
                raise
        await self.initialize()
        return await self._call(name, arguments, priority)

    async def _call(self, name: str, arguments: dict, priority: str) -> dict:
        params = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return await self._post("/mcp/tools/call", body, {"X-Priority": priority})

    async def _post(self, path: str, body: dict, headers: dict | None = None) -> dict:
        session = {"X-Session-ID": self.session_id} if self.session_id and path != "/mcp/initialize" else {}
        response = await self.client.post(f"{self.base_url}{path}", json=body, headers={**session, **(headers or {})})
        answer = response.json()
        if "error" in answer:
            raise BridgeError(answer["error"])
        return answer


async def main(url: str = "http://127.0.0.1:3003", light: str = "light.salon_lamp") -> None:
    async with MCPBridgeClient(url, os.environ.get("ZAGUAN_KEY")) as client:
        print(f"{len(await client.list_tools())} tools")

        entities = await client.call_tool("get_entities", {"domain": "light"})
        print(entities["result"]["content"][0]["text"])

        arguments = {"domain": "light", "service": "turn_on", "entity_id": light}
        answer = await client.call_tool("call_service", arguments, priority="HIGH")
        print(answer["result"]["content"][0]["text"])
        print(f"waited {answer['bridge_info']['queue_wait_ms']} ms, ran {answer['bridge_info']['execution_time_ms']} ms")


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except (BridgeError, httpx.HTTPError) as error:
        sys.exit(str(error) or type(error).__name__)
