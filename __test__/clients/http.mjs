// The conformance suite uses streamable HTTP: its messages are passed to this package's server over stdio,
// or through `serveIntentMcp` to the SDK's own HTTP transport.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Server } from '../support/mcp.mjs';

/** Carries messages between a transport and the command, as they are. */
export const toCommand = async (transport) => {
  const server = new Server();
  transport.onmessage = (message) => void server.send(message);
  transport.onclose = () => server.process.stdin.end();
  server.onmessage = (message) => void transport.send(message);
  await transport.start();
};

/** An HTTP server whose sessions are each connected by `connect`. */
export const listen = async (connect) => {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, transport),
      });
      await connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
};
