// A server with trivial tools on the TypeScript SDK's McpServer, to measure the cost of a stdio server by
// itself. `task` returns an answer of the size and form of an `intent_prepare`, from constants.
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
const task = {
  kind: 'task',
  jobId: '00000000-0000-4000-8000-000000000000',
  stepToken: 'x'.repeat(32),
  stage: 'core',
  instructions: 'x'.repeat(2600),
  payload: 'x'.repeat(160),
  format: { kind: 'json_schema', name: 'intent_core', schema: { description: 'x'.repeat(1100) } },
};
server.registerTool('task', { description: 'task', inputSchema: { text: z.string() } }, () => ({
  content: [{ type: 'text', text: JSON.stringify(task) }],
  structuredContent: task,
}));
await server.connect(new StdioServerTransport());
