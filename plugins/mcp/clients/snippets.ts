import { exactly, optional, type Infer } from '../../../kernel/index.ts';

/** The clients whose configuration is known. */
export const clientNames = ['claude_code', 'cursor', 'vscode', 'codex', 'desktop'] as const;

/** What the operator replaces by a key. */
export const placeholder = 'orb_live_…';

/** Name of a client. */
export type ClientName = (typeof clientNames)[number];

/** Schema of a snippet. */
export const snippetSchema = exactly('McpSnippet', {
  file: { type: 'string', description: 'File of the client' },
  text: { type: 'string', description: 'Content of the file; the key comes from ORB_KEY' },
  command: optional({ type: 'string', description: 'Command with the same effect' }),
});

/** How a client is told of the server: a file of its own with this text, or one command. No key is in either; where a client reads none from the environment, `placeholder` is in its place. */
export type Snippet = Infer<typeof snippetSchema>;

/** Makes the configuration of each client; `base` is the address of the server, the key is read from ORB_KEY. */
export function snippetsOf(base: string, orbisetId: string): Readonly<Record<ClientName, Snippet>> {
  const url = `${base}/orbisets/${encodeURIComponent(orbisetId)}/mcp`;
  const name = orbisetId === 'default' ? 'orb' : `orb-${orbisetId}`;
  const bearer = (variable: string): object => ({ Authorization: `Bearer ${variable}` });
  return {
    claude_code: {
      file: '.mcp.json',
      text: json({ mcpServers: { [name]: { type: 'http', url, headers: bearer('${ORB_KEY}') } } }),
      command: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer $ORB_KEY"`,
    },
    cursor: {
      file: '.cursor/mcp.json',
      text: json({ mcpServers: { [name]: { url, headers: bearer('${env:ORB_KEY}') } } }),
    },
    vscode: {
      file: '.vscode/mcp.json',
      text: json({
        inputs: [{ type: 'promptString', id: 'orb_key', description: 'Key of the Agent Orb Platform', password: true }],
        servers: { [name]: { type: 'http', url, headers: bearer('${input:orb_key}') } },
      }),
    },
    codex: {
      file: '.codex/config.toml',
      text: `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "ORB_KEY"\n`,
    },
    // Starts commands only.
    desktop: {
      file: 'claude_desktop_config.json',
      text: json({
        mcpServers: {
          [name]: {
            command: 'orb',
            args: ['mcp', 'stdio', '--orbiset', orbisetId],
            env: { ORB_URL: base, ORB_KEY: placeholder },
          },
        },
      }),
    },
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
