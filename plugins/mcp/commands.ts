import { defineCommand, type Command } from '../../kernel/index.ts';
import { clientNames, placeholder, type Snippet } from './clients/snippets.ts';
import { bridge } from './clients/stdio.ts';
import { importCommand } from './import/command.ts';

const orbisetOption = { flag: '--orbiset <id>', description: 'Id of the Orbiset', default: 'default' } as const;
const said = clientNames.map((name) => name.replace('_', '-'));

const mcpConfig = defineCommand({
  path: 'mcp config',
  summary: 'print the MCP configuration of an agent client',
  args: [{ name: 'client', description: said.join(', ') }],
  options: [orbisetOption],
  async run({ args: [client = ''], options, client: api, print, note }) {
    if (!said.includes(client)) {
      note(`the client must be one of ${said.join(', ')}, not ${client}`);
      return usage;
    }
    const path = `/orbisets/${encodeURIComponent(String(options['orbiset']))}/mcp/config`;
    const all = await api().request<Readonly<Record<string, Snippet>>>('GET', path);
    const snippet = all[client.replace('-', '_')];
    if (snippet === undefined) throw new Error(`the server has no configuration for ${client}`);
    print(snippet, snippet.text.trimEnd());
    const how = snippet.command === undefined ? '' : `; or run: ${snippet.command}`;
    const key = snippet.text.includes(placeholder)
      ? `Replace ${placeholder} with your key.`
      : 'The key comes from ORB_KEY.';
    note(`Put this into ${snippet.file}${how}. ${key}`);
    return 0;
  },
});

const mcpStdio = defineCommand({
  path: 'mcp stdio',
  summary: 'serve an Orbiset to an MCP client over standard input and output; the key comes from ORB_KEY',
  options: [orbisetOption],
  async run({ options, client }) {
    const path = `/orbisets/${encodeURIComponent(String(options['orbiset']))}/mcp`;
    await bridge({ path, client: client(), input: process.stdin, write: (line) => void process.stdout.write(line) });
    return 0;
  },
});

// EX_USAGE of sysexits.h.
const usage = 64;

/** The commands `orb mcp …`. */
export const mcpCommands: readonly Command[] = [mcpConfig, mcpStdio, importCommand];
