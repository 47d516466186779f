// Three trivial tools on the TypeScript SDK's McpServer: what a stdio server costs by itself.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'trivial', version: '1' });
for (const name of ['one', 'two', 'three']) {
  server.registerTool(
    name,
    { description: name, inputSchema: { text: z.string() } },
    ({ text }) => ({
      content: [{ type: 'text', text }],
    }),
  );
}
await server.connect(new StdioServerTransport());
