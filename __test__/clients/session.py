"""Calls tools for a test over the official Python SDK: one JSON request a line in, one reply out."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command, *args):
    async with stdio_client(StdioServerParameters(command=command, args=list(args))) as (read, write):
        async with ClientSession(read, write) as session:
            greeting = await session.initialize()
            tools = await session.list_tools()
            say(
                {
                    "greeting": greeting.model_dump(mode="json", by_alias=True),
                    "tools": [tool.name for tool in tools.tools],
                }
            )
            while line := await asyncio.to_thread(sys.stdin.readline):
                name, arguments = json.loads(line)
                result = await session.call_tool(name, arguments)
                say(result.model_dump(mode="json", by_alias=True))


def say(value):
    print(json.dumps(value), flush=True)


asyncio.run(main(*sys.argv[1:]))
