// A process that attacks a server at a fixed rate from 64 addresses: `node test/soak/door/attacker.ts '{"url": …}'`. When
// its input ends, it prints what it sent and what came back, as JSON, and ends.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What the attacker is told. */
export interface Attack {
  readonly url: string;
  /** A key of few scopes; absent: a stranger. */
  readonly key?: string;
  /** A run that does not end. */
  readonly runId: string;
  /** Connections that wait for it. */
  readonly waits: number;
  /** Requests of pages per second. */
  readonly pages: number;
}

/** What it did: requests sent, and answers by status; 0: none came. */
export interface Report {
  readonly sent: Readonly<Record<'bodies' | 'waits' | 'pages', number>>;
  readonly answered: Readonly<Record<'bodies' | 'waits' | 'pages', Readonly<Record<number, number>>>>;
  /** Most waits that were open at once. */
  readonly open: number;
  /** Page requests that were not sent, since too many had no answer yet. */
  readonly withheld: number;
}

const attack = JSON.parse(process.argv[2] ?? '{}') as Attack;
const { hostname: host, port: portText } = new URL(attack.url);
const port = Number(portText);
const addresses = Array.from({ length: 64 }, (_, at) => `127.0.0.${at + 2}`);
const authorization: Record<string, string> = attack.key === undefined ? {} : { authorization: `Bearer ${attack.key}` };
const sent = { bodies: 0, waits: 0, pages: 0 };
const answered: Record<keyof typeof sent, Record<number, number>> = { bodies: {}, waits: {}, pages: {} };
let [open, mostOpen, withheld, underWay] = [0, 0, 0, 0];

function note(kind: keyof typeof sent, status: number): void {
  answered[kind][status] = (answered[kind][status] ?? 0) + 1;
}

/** Sends a request and reads its answer. */
function ask(
  kind: 'bodies' | 'pages',
  path: string,
  {
    agent,
    body,
    headers,
  }: { readonly agent: Agent; readonly body?: Buffer; readonly headers?: Record<string, string> },
): Promise<void> {
  sent[kind] += 1;
  return new Promise((resolve) => {
    let ended = false;
    // The server may answer, and close, before it has read the body: then there is an error, too.
    const end = (status: number): void => {
      if (!ended) note(kind, status);
      ended = true;
      resolve();
    };
    const length = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
    const call = request(
      {
        host,
        port,
        path,
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...authorization, ...headers, ...length },
      },
      (answer) => answer.resume().once('close', () => end(answer.statusCode ?? 0)),
    );
    call.once('error', () => end(0));
    call.end(body);
  });
}

const agentOf = (localAddress: string | undefined): Agent =>
  new Agent({ keepAlive: true, maxSockets: 4, ...(localAddress === undefined ? {} : { localAddress }) });

/** A body of many members, about 0.9 MB. */
function bodyOf(members: number): Buffer {
  const width = Math.max(1, Math.floor(930_000 / members) - 9);
  const text = Array.from({ length: members }, (_, at) => `"k${at}":${'1'.repeat(width)}`).join();
  return Buffer.from(`{"orb_id":"demo.echo@1.0.0","inputs":{${text}}}`);
}

/** Sends large bodies, the next when the last is answered, at most four in a second. */
async function stream(path: string, localAddress: string | undefined, bodies: readonly Buffer[]): Promise<never> {
  const agent = agentOf(localAddress);
  for (let at = 0; ; at++) {
    const pause = delay(250);
    const body = bodies[at % bodies.length];
    if (body !== undefined) await ask('bodies', path, { agent, body });
    await pause;
  }
}

/** Calls `work` so many times a second, whatever it costs. */
function each(perSecond: number, work: (at: number) => void): void {
  const begun = performance.now();
  let done = 0;
  setInterval(() => {
    const due = Math.floor(((performance.now() - begun) / 1000) * perSecond);
    for (; done < due; done++) work(done);
  }, 5);
}

interface Wait {
  readonly localAddress: string | undefined;
  socket: Socket | undefined;
  waiting: boolean;
}

const waitHead = `GET /runs/${attack.runId}?wait=60 HTTP/1.1\r\nHost: x\r\n`;
const waitText = `${waitHead}${attack.key === undefined ? 'X-Endless: ' : `Authorization: Bearer ${attack.key}\r\n\r\n`}`;

/** Waits on one connection, or begins to send a request that never ends. */
function wait(one: Wait): void {
  if (one.waiting) return;
  sent.waits += 1;
  one.waiting = true;
  open += 1;
  mostOpen = Math.max(mostOpen, open);
  const over = (status: number): void => {
    if (!one.waiting) return;
    one.waiting = false;
    open -= 1;
    note('waits', status);
  };
  const { localAddress } = one;
  const socket = one.socket ?? connect({ host, port, ...(localAddress === undefined ? {} : { localAddress }) });
  if (one.socket === undefined) {
    one.socket = socket;
    socket.once('error', () => undefined);
    socket.once('close', () => {
      one.socket = undefined;
    });
  }
  socket.removeAllListeners('data').on('data', (chunk) => over(Number(chunk.toString('latin1', 9, 12))));
  socket.once('close', () => over(0));
  socket.write(waitText);
}

const words = ['key', 'run', 'receipt', 'policy', 'webhook', 'schedule', 'limit', 'restore'];
const pages: readonly ((at: number) => string)[] = [
  ...[
    '/docs/api',
    '/docs/reference/configuration',
    '/docs/reference/problems',
    '/docs/reference/cli',
    '/',
    '/docs/call',
  ],
  ...['/openapi.json', '/status', '/docs/contributing/decisions', '/docs/reference/metrics'],
].map((path) => () => path);
const asked = [...pages, (at: number) => `/docs/search?q=${words[at % words.length] ?? ''}+${at}`];

const local = host === '127.0.0.1' ? addresses : [undefined];
const small = [bodyOf(85_000), bodyOf(49_000)];
const paths =
  attack.key === undefined
    ? ['/receipts/verify', '/certificates/verify']
    : Array<string>(2).fill('/orbisets/default/execute');
for (const [at, path] of paths.entries()) void stream(path, local[at % local.length], small);
const waiting: readonly Wait[] = Array.from({ length: attack.waits }, (_, at) => ({
  localAddress: local[at % local.length],
  socket: undefined,
  waiting: false,
}));
// All are there after 15 s; those that were ended begin again.
each(attack.waits / 15, (at) => {
  const one = waiting[at % waiting.length];
  if (one !== undefined) wait(one);
});
const agents = local.map(agentOf);
each(attack.pages, (at) => {
  const agent = agents[at % agents.length];
  if (agent === undefined || underWay >= 512) return void (withheld += 1);
  underWay += 1;
  const headers: Record<string, string> = at % 2 === 0 ? { 'accept-encoding': 'gzip' } : {};
  void ask('pages', asked[at % asked.length]?.(at) ?? '/', { agent, headers }).then(() => (underWay -= 1));
});
process.stdin
  .once('end', () => {
    const report: Report = { sent, answered, open: mostOpen, withheld };
    process.stdout.write(JSON.stringify(report), () => process.exit(0));
  })
  .resume();
