"""Has a voice box take a photo, with the official Python client, in both eras: photo-client.py URL…

Prints what came as one JSON list.
"""

import asyncio
import json
import sys

from mcp import Client


async def photo(url: str, mode: str) -> dict:
    async with Client(url, mode=mode) as client:
        result = await client.call_tool("self.camera.take_photo", {"question": "?"})
        return result.content[0].model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(urls: list[str]) -> None:
    print(json.dumps([await photo(url, mode) for url in urls for mode in ("legacy", "auto")]))


asyncio.run(main(sys.argv[1:]))
