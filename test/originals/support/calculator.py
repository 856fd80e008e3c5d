"""The tool of 78/mcp-calculator in words of our own, served on stdio by FastMCP as the original is."""

import math

from fastmcp import FastMCP

server = FastMCP("Calculator")


@server.tool()
def calculator(python_expression: str) -> dict:
    """Calculates what is written in Python's words for numbers."""
    return {"success": True, "result": eval(python_expression, {"__builtins__": {}, "math": math})}


server.run(transport="stdio", show_banner=False)
