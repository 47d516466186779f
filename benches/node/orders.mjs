// The configuration that the MCP server is measured with: one instance, two stages.
import { smallSchema } from './fixtures.mjs';

export default { instances: { orders: { schema: smallSchema } } };
