import { expect } from 'chai';
import { startCutter } from '../../helpers/cutter.ts';
import { said, startBed, usage, type Bed } from '../models/bed.ts';
import type { KeySet, OrbEvent, StreamPart } from '../../../plugins/clients/typescript/src/surface.ts';
import { readVectors } from './vector-lines.ts';
import { installClient, type Client, type Installed } from './built.ts';

const echo = 'demo.echo@1.0.0';

describe('the TypeScript client and a server', function () {
  this.timeout(60_000);
  let installed: Installed;
  let bed: Bed;
  let Orb: Client['Orb'];
  before(async () => {
    installed = await installClient();
    ({ Orb } = installed.client);
    bed = await startBed({
      platform: {
        providers: {
          echo: { adapter: 'echo/local' },
          vendor: { adapter: 'llm/script', config: { models: { fast: {} } } },
        },
      },
    });
  });
  after(async () => {
    await bed?.platform.stop();
    installed?.remove();
  });
  const keys = async (): Promise<KeySet> =>
    (await (await fetch(`${bed.platform.url}/.well-known/jwks.json`)).json()) as KeySet;

  it('asks a model and yields its words, then the outcome with a verified receipt', async () => {
    bed.answer(async (_, { emit }) => {
      for (const text of ['hel', 'lo']) await emit?.({ type: 'text', text });
      return said('hello');
    });
    const orb = new Orb(bed.platform.url, bed.platform.adminKey, { pin: await keys() });
    const parts: StreamPart[] = [];
    for await (const part of orb.stream({
      model: 'fast',
      messages: [{ role: 'user', content: 'hi' }],
      stream_options: { include_usage: true },
    }))
      parts.push(part);
    const last = parts.pop();
    expect(parts).to.deep.equal([
      { type: 'text', text: 'hel' },
      { type: 'text', text: 'lo' },
    ]);
    if (last?.type !== 'outcome') throw new Error('no outcome came');
    const { outputs, verified } = last.outcome.orThrow();
    expect(outputs).to.deep.include({ text: 'hello', finish_reason: 'stop', model: 'fast' });
    expect(outputs['usage']).to.deep.include({ completion_tokens: usage.output_tokens });
    expect(verified?.limits.at(-1)).to.match(/^outputs: not compared/);
  });

  it('says what became of a stream that fails, and of one that is refused', async () => {
    const orb = new Orb(bed.platform.url, bed.platform.adminKey, { pin: await keys() });
    const lastOf = async (model: string): Promise<StreamPart | undefined> => {
      let last: StreamPart | undefined;
      for await (const part of orb.stream({ model, messages: [{ role: 'user', content: 'hi' }] })) last = part;
      return last;
    };
    bed.answer(async (_, { emit }) => {
      await emit?.({ type: 'text', text: 'hel' });
      throw new Error('gone');
    });
    const failed = await lastOf('fast');
    expect(failed?.type === 'outcome' && failed.outcome.kind).to.equal('failed');
    const refused = await lastOf('slow');
    expect(refused?.type === 'outcome' && refused.outcome.kind).to.be.oneOf(['rejected', 'failed']);
  });

  it('follows events without a loss or a repetition, however often its connection is cut', async () => {
    const cutter = await startCutter(Number(new URL(bed.platform.url).port));
    const direct = new Orb(bed.platform.url, bed.platform.adminKey, { pin: await keys() });
    const orb = new Orb(cutter.url, bed.platform.adminKey, { pin: await keys() });
    const stop = new AbortController();
    const seen: OrbEvent[] = [];
    const following = (async () => {
      for await (const event of orb.events({ types: 'run.completed', signal: stop.signal })) seen.push(event);
    })();
    // The stream has begun when its first bytes have passed.
    while (cutter.passed.answer === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const made: string[] = [];
    for (let at = 0; at < 12; at++) {
      // Every connection ends some bytes further on.
      cutter.at = { way: 'answer', after: 400 + at * 97 };
      made.push((await direct.run(echo, { text: `event ${at}` })).orThrow().runId);
    }
    cutter.at = undefined;
    while (seen.length < made.length) await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    await following;
    expect(seen.map(({ data }) => data['run_id'])).to.deep.equal(made);
    await cutter.close();
  });

  it('trusts a new signing key only by the receipt of its rotation', async () => {
    const { adminKey, call, url } = bed.platform;
    const saved: KeySet[] = [];
    const orb = new Orb(url, adminKey, { pin: 'tofu', pinned: (set) => void saved.push(set) });
    expect((await orb.run(echo, { text: 'before' })).kind).to.equal('completed');
    const { body } = await call('POST', '/signing-keys/rotate', { role: 'receipt' });
    const changed = body as { readonly receipt_id: string; readonly kid: string };
    const outcome = await orb.run(echo, { text: 'after' });
    expect(outcome.kind === 'unverified' && outcome.check).to.equal('key_trusted');
    expect(outcome.kind === 'unverified' && outcome.unverifiedOutputs).to.deep.include({ text: 'after' });
    const receipt = await orb.receipts.get(changed.receipt_id);
    expect(await orb.receipts.trust(receipt)).to.include({ verified: true });
    expect(saved.at(-1)?.keys.map(({ kid }) => kid)).to.include(changed.kid);
    expect((await orb.run(echo, { text: 'then' })).kind).to.equal('completed');
  });

  for (const { document, name, pinned, trust } of readVectors<{
    cases: readonly { name: string; trust: string; document: string; pinned: readonly string[] }[];
  }>('changes').cases)
    it(`takes a change of a key, or not: ${name}`, async () => {
      const { key_sets: sets } = readVectors<{ key_sets: Readonly<Record<string, KeySet>> }>('receipts');
      let known = sets[trust] ?? { keys: [] };
      const orb = new Orb('http://orb.test', 'orb_test_x', { pin: known, pinned: (set) => void (known = set) });
      await orb.receipts.trust(document);
      expect(known.keys.map(({ kid }) => kid).sort()).to.deep.equal(pinned);
    });

  it('lists 10,000 runs over pages that are empty, each once', async () => {
    const paged: typeof fetch = async (input) => {
      const at = Number(new URL(input).searchParams.get('cursor') ?? 0);
      const runs = at % 3 === 1 ? [] : Array.from({ length: 100 }, (_, n) => ({ run_id: `${at}-${n}` }));
      return Response.json({ runs, ...(at < 149 ? { next_cursor: String(at + 1) } : {}) });
    };
    const orb = new Orb('http://orb.test', 'orb_test_x', { verify: 'never', fetch: paged });
    const seen = new Set<unknown>();
    let count = 0;
    for await (const run of orb.runs.list()) {
      seen.add(run['run_id']);
      count += 1;
    }
    expect([count, seen.size]).to.deep.equal([10_000, 10_000]);
  });

  it('asks for a token again after a 401, and starts only with what it needs', async () => {
    const tokens = ['orb_live_wrong', bed.platform.adminKey];
    const orb = new Orb(bed.platform.url, () => tokens.shift() ?? '', { pin: await keys() });
    expect((await orb.run(echo, { text: 'token' })).kind).to.equal('completed');
    const { OrbError } = installed.client;
    expect(() => new Orb(bed.platform.url, 'x')).to.throw(OrbError, 'pin');
    expect(() => new Orb('no address', 'x', { verify: 'never' })).to.throw(OrbError, 'URL');
    const wrong = await orb.run(echo, 'text' as never).catch((error: unknown) => error);
    expect(wrong).to.be.instanceOf(OrbError).and.include({ code: 'inputs' });
  });

  it('names the subscription that is told of the end', async () => {
    const { adminKey, call, url } = bed.platform;
    const orb = new Orb(url, adminKey, { pin: await keys() });
    const refused = await orb.enqueue(echo, { text: 'to nobody' }, { callback: 'nobody' });
    const errors = refused.kind === 'rejected' ? refused.errors : [];
    expect(errors?.map(({ pointer }) => pointer)).to.deep.equal(['#/callback/subscription_id']);
    const subscription = { url: 'https://example.com/ends', types: ['run.*'] };
    const { body } = await call('POST', '/orbisets/default/subscriptions', subscription);
    const { subscription_id: callback } = body as { readonly subscription_id: string };
    expect((await orb.enqueue(echo, { text: 'to somebody' }, { callback })).kind).to.equal('queued');
  });

  it('logs no inputs, keys or queries', async () => {
    const lines: string[] = [];
    const log = (entry: object): void => void lines.push(JSON.stringify(entry));
    const orb = new Orb(bed.platform.url, bed.platform.adminKey, { pin: 'tofu', log });
    await orb.run(echo, { text: 'a secret of the caller' }, { key: 'key-of-the-caller' });
    await orb.request('GET', '/runs', { query: { reason: 'secret-query' } });
    expect(lines.length).to.be.greaterThan(3);
    for (const secret of ['a secret of the caller', 'key-of-the-caller', 'secret-query', bed.platform.adminKey])
      expect(lines.join('\n')).to.not.include(secret);
  });
});
