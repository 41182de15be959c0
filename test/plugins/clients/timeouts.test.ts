import { expect } from 'chai';
import { OrbClient } from '../../../plugins/clients/typescript/src/orb.ts';
import type { KeySet, OrbOptions, Outcome } from '../../../plugins/clients/typescript/src/surface.ts';
import { FakeTime, readVectors } from './vector-lines.ts';

const timeout = 5200;
const forever = new Promise<never>(() => undefined);

type Answer = { readonly status?: number; readonly json: object } | 'no end' | 'nothing';

/** Answers by the first path that fits, with a fetch that heeds no signal. */
function answering(answers: Readonly<Record<string, Answer>>) {
  const paths: string[] = [];
  const play = async (input: unknown): Promise<Response> => {
    const { pathname } = new URL(String(input));
    paths.push(pathname);
    const answer = Object.entries(answers).find(([path]) => pathname.includes(path))?.[1] ?? 'nothing';
    if (answer === 'nothing') return forever;
    const { json, status = 200 } = answer === 'no end' ? { json: {} } : answer;
    const text = async (): Promise<string> => (answer === 'no end' ? forever : JSON.stringify(json));
    return { status, ok: status < 300, body: null, headers: new Headers(), text } as unknown as Response;
  };
  return { play: play as typeof fetch, paths };
}

const done = { json: { run_id: 'run_1', outputs: {}, receipt: { receipt_id: 'rec_1' } } };
const { documents, key_sets: sets } = readVectors<{
  documents: Readonly<Record<string, string>>;
  key_sets: Readonly<Record<string, KeySet>>;
}>('receipts');
const receipt = { json: JSON.parse(documents['run'] ?? '') as object };
const running = { json: { run_id: 'run_1', status: 'running' } };

interface Case {
  readonly what: string;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly kind: Outcome['kind'];
  readonly options?: OrbOptions;
  /** How many tokens come. */
  readonly tokens?: number;
  readonly requests: readonly string[];
}

const execute = '/orbisets/default/execute';
const cases: readonly Case[] = [
  { what: 'a token', answers: {}, tokens: 0, kind: 'unreachable', requests: [] },
  {
    ...{ what: 'another token after a 401', tokens: 1, kind: 'unreachable', requests: [execute] },
    answers: { execute: { status: 401, json: { code: 'unauthenticated' } } },
  },
  { what: 'an answer', answers: {}, kind: 'unknown', requests: [execute, execute] },
  { what: 'the end of an answer', answers: { execute: 'no end' }, kind: 'unknown', requests: [execute, execute] },
  {
    ...{ what: 'the receipt', kind: 'unverified', options: { pin: { keys: [] } }, answers: { execute: done } },
    requests: [execute, '/receipts/rec_1', '/receipts/rec_1'],
  },
  {
    ...{ what: 'the keys of the server', kind: 'unverified', options: { pin: 'tofu' } },
    answers: { execute: done, receipts: { json: {} } },
    requests: [execute, '/receipts/rec_1', '/.well-known/jwks.json', '/.well-known/jwks.json'],
  },
  {
    ...{ what: 'a function that verifies', kind: 'unverified', answers: { execute: done, receipts: receipt } },
    options: { pin: sets['pinned'], ed25519: () => forever },
    requests: [execute, '/receipts/rec_1'],
  },
];

describe('the time of a call of the TypeScript client', () => {
  for (const { answers, kind, options, requests, tokens = Infinity, what } of cases)
    it(`is over in time when it waits for ${what}`, async () => {
      const time = new FakeTime();
      const { paths, play } = answering(answers);
      let asked = 0;
      const auth = (): Promise<string> | string => (asked++ < tokens ? 'orb_test_x' : forever);
      const begun = time.now();
      const orb = new OrbClient('http://orb.test', auth, { ...(options ?? { verify: 'never' }), fetch: play, time });
      const outcome = await orb.run('notify.email@1.0.0', {}, { timeout });
      expect([outcome.kind, paths]).to.deep.equal([kind, requests]);
      expect(time.now() - begun).to.be.at.most(timeout);
    });

  it('is over in time when a run does not end', async () => {
    const time = new FakeTime();
    const { play } = answering({ execute: { status: 202, json: { run_id: 'run_1' } }, runs: running });
    const orb = new OrbClient('http://orb.test', 'orb_test_x', { verify: 'never', fetch: play, time });
    const queued = await orb.enqueue('notify.email@1.0.0', {}, { timeout });
    if (queued.kind !== 'queued') throw new Error(queued.kind);
    for (const wait of [timeout, timeout + 1, 130]) {
      const begun = time.now();
      expect((await queued.result({ timeout: wait })).kind).to.equal('unknown');
      expect(time.now() - begun).to.equal(wait);
    }
  });

  it('ends what is under way, and sends nothing later', async () => {
    const time = new FakeTime();
    const { paths, play } = answering({});
    let give: (token: string) => void = () => undefined;
    const token = new Promise<string>((resolve) => void (give = resolve));
    const orb = new OrbClient('http://orb.test', () => token, { verify: 'never', fetch: play, time });
    expect((await orb.run('notify.email@1.0.0', {}, { timeout })).kind).to.equal('unreachable');
    give('orb_test_x');
    await new Promise((resolve) => setImmediate(resolve));
    expect(paths).to.deep.equal([]);
    const stop = new AbortController();
    const running = orb.run('notify.email@1.0.0', {}, { signal: stop.signal });
    await Promise.resolve();
    stop.abort();
    expect(await running).to.include({ aborted: true });
  });
});
