const revision = '2026-07-28';

/** The headers of a call of a tool, in the revision without a handshake. */
export function mcpHeaders(tool: string): Readonly<Record<string, string>> {
  return {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': revision,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': tool,
  };
}

/** The body of a call of a tool. */
export function mcpMessage(tool: string, inputs: Readonly<Record<string, unknown>>): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: inputs, _meta } };
}
