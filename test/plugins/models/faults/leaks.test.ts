import { expect } from 'chai';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { each } from '../../../helpers/each.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { storedBytes } from '../../../helpers/stored.ts';
import { readOrFollow } from '../../../helpers/read-or-follow.ts';
import { bodyOf, gatewayData, gatewayEnv, orbisets, pathOf, providerOf, type Api } from './gateway.ts';
import { reading, recordsOf } from './records.ts';
import { startBillingVendor, type BillingVendor, type Course } from './vendor.ts';

const prompt = 'canary_prompt_7f3a91';
const said = 'canary_answer_c05e12';
const apis: readonly Api[] = ['openai', 'anthropic'];
const keys = Object.values(gatewayEnv);

// A vendor that repeats what it was sent in each of its words.
const words = [...keys, prompt, said];
const echoing = (code: string) => ({
  type: 'error',
  request_id: words.join(' '),
  error: {
    ...{ message: `bad key ${words.join(' ')}`, type: code, code, param: words.join(' ') },
    details: { error_code: prompt },
  },
});
const statuses = [301, 400, 401, 402, 403, 404, 408, 409, 413, 415, 418, 422, 424, 429, 500, 502, 503, 504, 529];
const refusals = statuses.flatMap((status) =>
  [said, prompt, keys[0] ?? ''].map((code): Course => {
    const headers = { 'x-request-id': words.join(' '), location: `/${words.join('/')}`, 'retry-after': '0' };
    return { fault: { status, headers, body: echoing(code) } };
  }),
);
const event = (data: object): string => `event: error\ndata: ${JSON.stringify(data)}\n\n`;
const failures: readonly Course[] = [
  ...refusals,
  { fault: { status: 500, body: `<p>${words.join(' ')}</p>` } },
  { fault: { status: 200, body: `{"${words.join(' ')}` } },
  { fault: { status: 200, headers: { 'content-type': 'text/event-stream' }, body: event(echoing(said)) } },
  { fault: { status: 200, headers: { 'content-type': 'text/event-stream' }, body: `data: {"${words.join(' ')}\n\n` } },
  ...[0.5, 0.95].flatMap((share) => (['end', 'reset', 'silence'] as const).map((how) => ({ cut: { share, how } }))),
  ...[2, 6].map((after) => ({ broken: { after, by: event(echoing(prompt)) } })),
  ...[2, 6].map((after) => ({ broken: { after, by: `data: ${words.join(' ')}\n\n` } })),
  {},
];

/** One call: of a failure at a door and a vendor, streamed or not. */
interface Case {
  readonly number: number;
  readonly door: Api;
  readonly to: string;
  readonly stream: boolean;
}

// Each failure at each vendor, in turn at each door, streamed and not; then vendors that cannot be reached.
const combined = failures.flatMap((_, at) => apis.map((to) => ({ to, turn: at + (to === 'openai' ? 0 : 1) })));
const unreachable = [0, 1, 2, 3].map((turn) => ({ to: 'away', turn }));
const cases = [...combined, ...unreachable].map(({ to, turn }, number): Case => {
  return { number, to, door: turn % 2 === 0 ? 'openai' : 'anthropic', stream: Math.floor(turn / 2) % 2 === 0 };
});

describe('the words of callers, models and keys', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  let vendor: BillingVendor;
  let caller: string;
  const logged: string[] = [];
  const answers: { readonly number: number; readonly status: number; readonly text: string }[] = [];

  before(async () => {
    vendor = await startBillingVendor(said);
    vendor.plan = ({ model }) => failures[Math.floor(Number(model.slice(2)) / 2)] ?? {};
    const limits = { idle_timeout_ms: 250, first_part_timeout_ms: 300 };
    const away = { id: 'away', tenant: 'default', orbs: ['*'], providers: ['away'] };
    platform = await startPlatform({
      env: gatewayEnv,
      onLog: (line) => logged.push(line),
      platform: {
        providers: {
          openai: providerOf('openai', vendor.url, limits),
          anthropic: providerOf('anthropic', vendor.url, limits),
          away: providerOf('openai', await closedUrl(), limits),
        },
        bindings: { 'llm.chat@1.0.0': ['openai', 'anthropic', 'away'] },
        plugins: { budgets: { config: { budgets: [{ scope: 'tenant', per: 'month', nanos: 1e12 }] } } },
      },
      data: { ...gatewayData(cases.length), ...orbisets(), 'orbisets/away.json': away },
    });
    caller = await platform.key({ name: 'caller', scopes: ['orbs:execute'] });
    await each(cases, ask);
  });
  after(async () => {
    await platform?.stop();
    await vendor?.close();
  });

  async function ask({ door, number, stream, to }: Case): Promise<void> {
    const response = await fetch(`${platform.url}/orbisets/${to}${pathOf(door)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(door, number, { stream, prompt })),
    });
    const { status } = response;
    const got = { text: [...response.headers].map((header) => header.join(': ')).join('\n') };
    try {
      const body = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
      for await (const chunk of body) got.text += chunk;
    } catch {
      // The connection was cut: what came before is what the caller has.
    }
    answers.push({ number, status, text: got.text });
  }

  // The whole key: its beginning is shown on purpose, as in lists of keys.
  const secrets = (): readonly string[] => [...keys, caller, platform.adminKey];
  const expectNone = (text: string, words: readonly string[], where: string): void => {
    for (const word of words) expect(text.includes(word), `${word.slice(0, 20)}… in ${where}`).to.equal(false);
  };

  it('are in no failure that a caller gets; of the answer it has the parts that were sent', () => {
    let failed = 0;
    for (const { number, status, text } of answers) {
      expectNone(text, [...secrets(), prompt], `the answer ${number}: ${text.slice(-600)}`);
      // The event of a failure is the last one; before it come parts of the answer.
      const isStreamed = status === 200;
      const failure = isStreamed ? (/(?:event: error\n)?data: \{[^\n]*"error":[^]*$/.exec(text)?.[0] ?? '') : text;
      if (failure !== '') failed += 1;
      expectNone(failure, [said], `the failure ${number}: ${failure}`);
    }
    expect(answers).to.have.length(cases.length);
    expect(failed).to.be.greaterThan(0.9 * cases.length - 8);
  });

  it('are in no log line', () => {
    const all = logged.join('\n');
    expect(all).to.include('run_');
    expectNone(all, [...secrets(), prompt, said], 'the log');
  });

  it('are in no receipt', async () => {
    const get = reading(platform.url, platform.adminKey);
    const records = await recordsOf(get);
    expect(records).to.have.length(cases.length);
    for (const { receipt_id } of records) {
      const receipt = await get(`/receipts/${receipt_id}`);
      const { payload } = receipt['envelope'] as { readonly payload: string };
      const text = JSON.stringify(receipt) + Buffer.from(payload, 'base64').toString();
      expectNone(text, [...secrets(), prompt, said], `the receipt ${receipt_id}`);
    }
  });

  it('are in nothing that can be read by the API: lists, runs, metrics, traces, events', async () => {
    const { paths } = (await reading(platform.url, platform.adminKey)('/openapi.json')) as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const [newest] = (await platform.call('GET', '/runs?limit=1')).body.runs;
    const known = { ...newest, id: 'default' } as Readonly<Record<string, string>>;
    const readable = Object.entries(paths).flatMap(([path, methods]) => {
      const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(known[name] ?? whole));
      return 'get' in methods && !filled.includes('%7B') ? [filled] : [];
    });
    const read: string[] = [];
    await each(readable, async (path) => {
      const text = await readOrFollow(platform.url + path, platform.adminKey);
      if (text !== '') read.push(path);
      expectNone(text, [...secrets(), prompt, said], path);
    });
    const must = ['/runs', '/receipts', '/metrics', '/traces', '/events', '/usage', '/budgets'];
    expect(read).to.include.members([...must, `/runs/${String(newest.run_id)}`]);
  });

  it('are in nothing that is stored', async () => {
    const bytes = await storedBytes(platform.home);
    expectNone(bytes.toString('latin1'), [...secrets(), prompt, said], 'the store');
  });
});

/** Finds an address at which nothing listens. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
