import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';

const orb = 'demo.echo@1.0.0';
const entry = `import { answer } from './answer.ts';
export default (api) =>
  api.defineProvider({
    name: 'ext',
    capability: { name: 'echo', title: 'Echo' },
    config: { type: 'object', additionalProperties: false, properties: {} },
    sandbox: true,
    open: () => ({
      execute: ({ text }, context) => answer(text, context),
      close: async () => globalThis.orbReload.closed.push(answer.version),
    }),
  });
`;
const version = (name: string): string => `const state: any = globalThis;
export const answer = async (text: string) => {
  await state.orbReload.gate(text);
  return { text: '${name} ' + text };
};
answer.version = '${name}';
`;

describe('a changed adapter file', () => {
  let platform: TestPlatform;
  let home: string;
  const closed: string[] = [];
  let gate: (text: string) => Promise<void> | undefined;
  const write = (name: string, content: string | object): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), typeof content === 'string' ? content : JSON.stringify(content));
  };
  const settings = (adapters: object, ...providers: readonly string[]): void =>
    write('data/platform.json', {
      adapters,
      providers: Object.fromEntries(providers.map((name) => [name, { adapter: `echo/${name}` }])),
    });
  const run = (text: string): Promise<Answer> =>
    platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { text } });
  const said = async (text: string): Promise<string> => (await run(text)).body.outputs?.text;
  const reload = async (): Promise<Answer['body']> => (await platform.call('POST', '/config/reload')).body;
  const status = async (): Promise<Answer['body']> => (await platform.call('GET', `/providers/${orb}/status`)).body;

  const settled = async (): Promise<Answer['body']> => {
    for (;;) {
      const now = await status();
      if (now.last_swap?.state === 'completed') return now;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  beforeEach(async () => {
    closed.length = 0;
    gate = () => undefined;
    Object.assign(globalThis, { orbReload: { closed, gate: (text: string) => gate(text) } });
    home = mkdtempSync(join(tmpdir(), 'orb-reload-'));
    settings({}, 'local');
    platform = await startPlatform({ home });
    write('ext/index.ts', entry);
    write('ext/answer.ts', version('first'));
    settings({ 'echo/ext': { from: './ext/index.ts' } }, 'local', 'ext');
    const { providers, restart_required } = await reload();
    expect(providers).to.deep.equal([{ orb_id: orb, provider: 'ext', change: 'added' }]);
    expect(restart_required).to.deep.equal([]);
    expect((await platform.call('POST', `/providers/${orb}/swap`, { provider: 'ext' })).status).to.equal(200);
  });
  afterEach(async () => {
    await platform.stop();
    Reflect.deleteProperty(globalThis, 'orbReload');
  });

  it('that is new is loaded by a reload and swapped to, without a restart', async () => {
    expect(await said('a')).to.equal('first a');
  });

  it('takes effect by a reload as a new generation; an imported file counts; the old code ends its runs', async () => {
    const before = await settled();
    // The standby that the swap replaced.
    closed.length = 0;
    const held = Promise.withResolvers<undefined>();
    const reached = Promise.withResolvers<undefined>();
    gate = (text) => (text === 'held' ? (reached.resolve(undefined), held.promise) : undefined);
    const running = said('held');
    await reached.promise;
    write('ext/answer.ts', version('second'));
    const { providers } = await reload();
    expect(providers).to.deep.include.members([
      { orb_id: orb, provider: 'ext', change: 'renewed', generation: (await status()).generation },
    ]);
    expect((await status()).generation).to.be.greaterThan(before.generation);
    expect(await said('b')).to.equal('second b');
    expect(closed, 'a run still holds the old generation').to.not.include('first');
    held.resolve(undefined);
    expect(await running).to.equal('first held');
    while (!closed.includes('first')) await new Promise((resolve) => setImmediate(resolve));
    expect(closed).to.not.include('second');
  });

  it('shows in receipts: the digest of the configuration covers the files', async () => {
    const digest = async (): Promise<string> => {
      const { receipt } = (await run('x')).body;
      const { body } = await platform.call('GET', `/receipts/${receipt.receipt_id}`);
      return body.statement.predicate.facts.attempts[0].config_digest;
    };
    const first = await digest();
    expect(await digest()).to.equal(first);
    write('ext/answer.ts', version('second'));
    await reload();
    expect(await digest()).to.not.equal(first);
  });

  it('that did not change changes nothing', async () => {
    const { generation } = await status();
    expect(await reload()).to.deep.equal({ providers: [], unused: [], restart_required: [] });
    expect((await status()).generation).to.equal(generation);
  });

  it('that is broken changes nothing, and is named', async () => {
    const { generation } = await status();
    write('ext/answer.ts', 'export const answer = (;');
    const { status: code, body } = await platform.call('POST', '/config/reload');
    expect([code, body.code]).to.deep.equal([422, 'invalid_configuration']);
    expect(body.errors[0].detail).to.include('adapters/echo/ext/from');
    expect([await said('c'), (await status()).generation]).to.deep.equal(['first c', generation]);
    write('ext/answer.ts', version('mended'));
    await reload();
    expect(await said('d')).to.equal('mended d');
  });
});
