import { expect } from 'chai';
import { beside } from './helpers/beside.ts';
import { guideRow } from './helpers/guide-row.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { startSmtp, type Misbehaviour } from './helpers/smtp.ts';
import { startVendor, type VendorFault } from './helpers/vendor.ts';

// SMTP and plain HTTP: adapters without a vendor's interface. None of them has a key that its other side honours.

/** A provider order in front of something that misbehaves at the first provider. */
interface Bench {
  readonly orb_id: string;
  readonly inputs: object;
  readonly providers: Readonly<Record<string, object>>;
  spoil(): Promise<void>;
  /** Calls that reached each provider's other side. */
  calls(): readonly number[];
  close(): Promise<void>;
}

/** Starts the other sides of some providers: the first one will misbehave. */
type Start = (names: readonly string[]) => Promise<Bench>;

const smtp =
  (wrong: Misbehaviour | 'refused'): Start =>
  async (names) => {
    const servers = await Promise.all(names.map(() => startSmtp()));
    const config = (port: number) => ({ host: '127.0.0.1', port, starttls: 'never', socket_timeout_ms: 30_000 });
    return {
      orb_id: 'notify.email@1.0.0',
      inputs: { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' },
      providers: Object.fromEntries(
        servers.map(({ port }, index) => [names[index] ?? '', { adapter: 'email/smtp', config: config(port) }]),
      ),
      spoil: async () => {
        if (wrong === 'refused') await servers[0]?.close();
        else Object.assign(servers[0]?.misbehaviour ?? {}, wrong);
      },
      calls: () => servers.map(({ attempts }) => attempts),
      close: async () => void (await Promise.all(servers.map((server) => server.close().catch(() => undefined)))),
    };
  };

// The target stands in the inputs, so it is one for all providers: a header that each adds tells them apart.
const http =
  (orb: 'fetch' | 'send', wrong: VendorFault | 'refused'): Start =>
  async (names) => {
    const calls = new Map<string, number>();
    const target = await startVendor(({ headers }) => {
      const name = headers['x-provider'] ?? '';
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return { status: 200, body: { ok: true } };
    });
    const port = Number(new URL(target.url).port);
    const allow = (name: string) => [
      { host: '127.0.0.1', port, private: true, headers: { 'x-provider': { $env: `NAME_${name}` } } },
    ];
    return {
      orb_id: `http.${orb}@1.0.0`,
      inputs: { url: `${target.url}/thing`, ...(orb === 'send' ? { method: 'POST', json: { a: 1 } } : {}) },
      providers: Object.fromEntries(
        names.map((name) => [name, { adapter: 'http/client', config: { allow: allow(name) } }]),
      ),
      spoil: async () => {
        target.meets = (headers) => headers['x-provider'] === names[0];
        if (wrong === 'refused') await target.close();
        else target.fault = wrong;
      },
      calls: () => names.map((name) => calls.get(name) ?? 0),
      close: async () => void (await target.close().catch(() => undefined)),
    };
  };

interface Row {
  readonly fault: string;
  readonly start: Start;
  /** A silence uses the deadline up. */
  readonly silent?: true;
  /** Status, code and calls at each provider: at most once with one and three providers, at least once with both. */
  readonly is: readonly [string, string, string, string];
}

const both = (one: string, three: string): Row['is'] => [one, three, one, three];
const unknown: Row['is'] = ['504 outcome_unknown 1', '504 outcome_unknown 1/0/0', '504 outcome_unknown 1', '200 1/1/0'];

const rows: readonly Row[] = [
  { fault: 'smtp: connection refused', start: smtp('refused'), is: both('503 provider_unavailable 0', '200 0/1/0') },
  {
    fault: 'smtp: silence instead of a greeting',
    start: smtp({ connect: 'hang' }),
    silent: true,
    is: ['504 run_timed_out 0', '504 run_timed_out 0/0/0', '504 run_timed_out 0', '200 0/1/0'],
  },
  {
    fault: 'smtp: 554 instead of a greeting',
    start: smtp({ connect: { code: 554, text: '5.3.2 not here' } }),
    is: both('502 provider_failed 0', '200 0/1/0'),
  },
  {
    fault: 'smtp: cut at MAIL FROM, before the body',
    start: smtp({ mail: 'drop' }),
    is: both('503 provider_unavailable 3', '200 3/1/0'),
  },
  { fault: 'smtp: cut after the body', start: smtp({ data: 'drop' }), is: unknown },
  { fault: 'smtp: taken, then silence', start: smtp({ data: 'hang' }), silent: true, is: unknown },
  {
    fault: 'smtp: 550 to a recipient',
    start: smtp({ rcpt: () => ({ code: 550, text: '5.1.1 no such user' }) }),
    is: both('422 provider_rejected 1', '422 provider_rejected 1/0/0'),
  },
  {
    fault: 'smtp: 451 to MAIL FROM',
    start: smtp({ mail: { code: 451, text: '4.3.0 later' } }),
    is: both('503 provider_unavailable 1', '200 1/1/0'),
  },
  {
    fault: 'smtp: 552 after the body',
    start: smtp({ data: { code: 552, text: '5.3.4 too large' } }),
    is: both('422 provider_rejected 1', '422 provider_rejected 1/0/0'),
  },
  {
    fault: 'smtp: 451 after the body',
    start: smtp({ data: { code: 451, text: '4.3.0 later' } }),
    is: both('503 provider_unavailable 1', '200 1/1/0'),
  },
  {
    fault: 'smtp: no clear answer after the body',
    start: smtp({ data: { code: 354, text: 'go on' } }),
    is: unknown,
  },
  {
    fault: 'http.send: connection refused',
    start: http('send', 'refused'),
    is: both('503 provider_unavailable 0', '503 provider_unavailable 0/0/0'),
  },
  {
    fault: 'http.send: reset before the body',
    start: http('send', 'reset'),
    is: ['504 outcome_unknown 0', '504 outcome_unknown 0/0/0', '504 outcome_unknown 0', '200 0/1/0'],
  },
  { fault: 'http.send: reset after the body', start: http('send', 'lost'), is: unknown },
  { fault: 'http.send: taken, then silence', start: http('send', 'hang'), silent: true, is: unknown },
  {
    fault: 'http.send: half an answer, then silence',
    start: http('send', 'stall'),
    silent: true,
    is: both('200 1', '200 1/0/0'),
  },
  { fault: 'http.send: half an answer, then reset', start: http('send', 'drop'), is: both('200 1', '200 1/0/0') },
  {
    fault: 'http.send: malformed answer',
    start: http('send', { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'no gzip' }),
    is: both('200 1', '200 1/0/0'),
  },
  { fault: 'http.send: 400', start: http('send', { status: 400, body: {} }), is: both('200 1', '200 1/0/0') },
  {
    fault: 'http.send: 429, come back beyond the deadline',
    start: http('send', { status: 429, headers: { 'retry-after': '60' }, body: {} }),
    is: both('503 provider_unavailable 1', '200 1/1/0'),
  },
  { fault: 'http.send: 500', start: http('send', { status: 500, body: {} }), is: unknown },
  {
    fault: 'http.fetch: connection refused',
    start: http('fetch', 'refused'),
    is: both('503 provider_unavailable 0', '503 provider_unavailable 0/0/0'),
  },
  {
    fault: 'http.fetch: reset before the request was read',
    start: http('fetch', 'reset'),
    is: both('502 provider_failed 0', '200 0/1/0'),
  },
  {
    fault: 'http.fetch: reset after the request',
    start: http('fetch', 'lost'),
    is: both('502 provider_failed 3', '200 3/1/0'),
  },
  {
    fault: 'http.fetch: taken, then silence',
    start: http('fetch', 'hang'),
    silent: true,
    is: both('504 run_timed_out 1', '200 3/1/0'),
  },
  {
    fault: 'http.fetch: half an answer, then silence',
    start: http('fetch', 'stall'),
    silent: true,
    is: both('504 run_timed_out 1', '200 3/1/0'),
  },
  {
    fault: 'http.fetch: half an answer, then reset',
    start: http('fetch', 'drop'),
    is: both('502 provider_failed 3', '200 3/1/0'),
  },
  {
    fault: 'http.fetch: malformed answer',
    start: http('fetch', { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'no gzip' }),
    is: both('502 provider_failed 3', '200 3/1/0'),
  },
  { fault: 'http.fetch: 400', start: http('fetch', { status: 400, body: {} }), is: both('200 1', '200 1/0/0') },
  {
    fault: 'http.fetch: 429, come back beyond the deadline',
    start: http('fetch', { status: 429, headers: { 'retry-after': '60' }, body: {} }),
    is: both('200 1', '200 1/0/0'),
  },
  { fault: 'http.fetch: 500', start: http('fetch', { status: 500, body: {} }), is: both('200 1', '200 1/0/0') },
];

// Each with an Orbiset that admits its own providers and no others.
const columns = [
  { orbiset: 'a', delivery: 'at_most_once', providers: ['a0'] },
  { orbiset: 'b', delivery: 'at_most_once', providers: ['b0', 'b1', 'b2'] },
  { orbiset: 'c', delivery: 'at_least_once', providers: ['c0'] },
  { orbiset: 'd', delivery: 'at_least_once', providers: ['d0', 'd1', 'd2'] },
] as const;
type Column = (typeof columns)[number];

describe('the fault matrix of SMTP and HTTP', () => {
  const check = async ({ start, silent, is }: Row): Promise<void> => {
    const benches = await Promise.all(columns.map(({ providers }) => start(providers)));
    const platform = await startFor(benches);
    try {
      const found = await Promise.all(
        benches.map((bench, index) => play(bench, columns[index] ?? columns[0], silent === true, platform)),
      );
      // How often a silence fits into the deadline depends on the machine: twice or three times where going on is allowed.
      const cells = silent === true ? found.map((cell) => cell.replace(/ 2\//u, ' 3/')) : found;
      expect(cells).to.deep.equal(is);
    } finally {
      await platform.stop();
      await Promise.all(benches.map((bench) => bench.close()));
    }
  };
  const checked = beside(
    rows.filter(({ silent }) => silent === true),
    check,
  );

  for (const row of rows)
    it(`${row.fault}: status, code and calls per provider are as the table says`, () => checked(row)).timeout(120_000);

  it('is printed in the README of the runtime', () => {
    for (const { fault, is } of rows) expect(guideRow('plugins/runtime/README.md', fault), fault).to.deep.equal(is);
  });
});

function startFor(benches: readonly Bench[]): Promise<TestPlatform> {
  const names = columns.flatMap(({ providers }) => providers);
  return startPlatform({
    // All run at once on few cores: whether a policy is in time is not what is looked at.
    platform: {
      providers: Object.assign({}, ...benches.map(({ providers }) => providers)) as object,
      bindings: { [benches[0]?.orb_id ?? '']: names },
      plugins: { policy: { config: { deadline_ms: 2000 } } },
    },
    data: Object.fromEntries(
      columns.map(({ orbiset, providers }) => [
        `orbisets/${orbiset}.json`,
        { id: orbiset, tenant: 'default', orbs: ['*'], providers },
      ]),
    ),
    env: Object.fromEntries(names.map((name) => [`NAME_${name}`, name])),
  });
}

async function play(bench: Bench, column: Column, silent: boolean, platform: TestPlatform): Promise<string> {
  const { orb_id, inputs } = bench;
  const { orbiset, delivery } = column;
  await bench.spoil();
  const timeout_ms = silent ? 8000 : 20_000;
  const { status, body } = await platform.call('POST', `/orbisets/${orbiset}/execute`, {
    ...{ orb_id, inputs, timeout_ms },
    ...(delivery === 'at_most_once' ? {} : { delivery }),
  });
  const receipt = (await platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body;
  expect(receipt.signature_valid).to.equal(true);
  const attempts = receipt.statement.predicate.facts.attempts.map(({ outcome }: { outcome: string }) => outcome);
  expect(attempts.filter((outcome: string) => outcome === 'accepted').length).to.equal(status === 200 ? 1 : 0);
  return [status, body.code, bench.calls().join('/')].filter((part) => part !== undefined).join(' ');
}
