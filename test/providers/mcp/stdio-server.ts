// A server of tools on a pipe, for tests: some of its tools misbehave. Started by tests as a process of its own.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Readonly<Record<string, unknown>> };
  readonly error?: { readonly code: number };
}

const names = ['echo', 'die', 'hang', 'flood', 'big', 'endless', 'env', 'junk', 'child', 'ask', 'pid'];
const [, , how = ''] = process.argv;
const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (id: Message['id'], value: unknown, more: object = {}): void =>
  say({ id, result: { content: [{ type: 'text', text: String(value) }], ...more } });
let asking: Message['id'];

const tools: Readonly<Record<string, (id: Message['id'], given: Readonly<Record<string, unknown>>) => void>> = {
  echo: (id, { value }) => text(id, value),
  die: () => process.exit(1),
  hang: () => undefined,
  flood: () => {
    for (let n = 0; n < 20_000; n++) say({ method: 'notifications/message', params: { level: 'info', data: n } });
  },
  big: (id) => text(id, 'x'.repeat(20_000_000)),
  endless: () => {
    const more = (): void => void process.stdout.write('x'.repeat(1_000_000), () => setImmediate(more));
    more();
  },
  env: (id) => text(id, JSON.stringify(process.env)),
  junk: (id) => {
    process.stdout.write('starting up…\n{"jsonrpc":\n[]\n');
    process.stderr.write(`a secret on stderr: ${process.env['TOKEN'] ?? ''}\n`);
    text(id, 'after the junk');
  },
  child: (id) => text(id, spawn('sleep', ['1000'], { stdio: 'ignore' }).pid),
  ask: (id) => {
    asking = id;
    say({ id: 'ask', method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } });
  },
  pid: (id) => text(id, process.pid),
};

const inputSchema = { type: 'object' };

function serve({ id, method, params, error }: Message): void {
  if (id === 'ask') return text(asking, `refused: ${error?.code ?? 'no'}`, { isError: true });
  if (id === undefined) return;
  if (method === 'initialize') {
    const serverInfo = { name: 'pipe-fixture', version: '1' };
    return say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
  }
  if (method === 'tools/list') return say({ id, result: { tools: names.map((name) => ({ name, inputSchema })) } });
  if (method === 'tools/call') return tools[params?.name ?? '']?.(id, params?.arguments ?? {});
  say({ id, error: { code: -32601, message: 'Method not found' } });
}

if (how === 'dies') process.exit(3);
if (how !== 'mute') createInterface({ input: process.stdin }).on('line', (line) => serve(JSON.parse(line) as Message));
if (how === 'stays') process.on('SIGTERM', () => undefined);
