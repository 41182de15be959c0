import { defineCapability } from '../../kernel/adapter.ts';

/** The capability of imported Orbs: calls one tool of an MCP server. */
export const mcp = defineCapability({ name: 'mcp', title: 'Call tools of MCP servers' });
