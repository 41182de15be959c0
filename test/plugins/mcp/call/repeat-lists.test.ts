import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { defineRepeatLists, type Agent } from './repeat-lists.ts';

const identity = { name: 'agent', version: '1.0.0' };
const withKey = (key: string): { requestInit: RequestInit } => ({
  requestInit: { headers: { Authorization: `Bearer ${key}` } },
});

async function official(mode: 'auto' | 'legacy', url: URL, key: string): Promise<Agent> {
  const client = new Client(identity, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, withKey(key)));
  return {
    call: (name, token) => client.callTool({ name: `test_${name}`, arguments: { token } }),
    close: () => client.close(),
  };
}

defineRepeatLists('TypeScript clients', {
  'official client, 2026-07-28': (url, key) => official('auto', url, key),
  'official client, 2025-11-25': (url, key) => official('legacy', url, key),
  'SDK 1.x': async (url, key) => {
    const client = new Client1(identity);
    await client.connect(new Transport1(url, withKey(key)));
    return {
      call: (name, token) => client.callTool({ name: `test_${name}`, arguments: { token } }),
      close: () => client.close(),
    };
  },
});
