import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { send } from './helpers/http.ts';
import { recordOrb } from './helpers/recorder.ts';
import { createServed, type Served } from './helpers/served.ts';

const orb = 'test.record@1.0.0';

// Waits while there is a file `hold`, and keeps what it accepts in a file of its own.
const vendor = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
export default (api) => api.defineProvider({
  name: 'vendor', capability: { name: 'record', title: 'Record' },
  config: { type: 'object', additionalProperties: false, required: ['dir', 'reads'], properties: { dir: { type: 'string' }, reads: { type: 'boolean' }, shut: { type: 'boolean' } } },
  idempotency: { kind: 'lookup' },
  open: ({ config: { dir, reads, shut } }) => {
    if (shut) throw new Error('the port is closed');
    return {
    execute: async ({ token }, { idempotency_key }) => {
      writeFileSync(dir + '/reached', '');
      while (existsSync(dir + '/hold')) await new Promise((resolve) => setTimeout(resolve, 5));
      appendFileSync(dir + '/accepted', idempotency_key + '\\n');
      return { token, by: 'vendor', opening: 1 };
    },
    ...(reads ? { lookup: async (key) => (existsSync(dir + '/accepted') && readFileSync(dir + '/accepted', 'utf8').includes(key) ? { token: 'found', by: 'vendor', opening: 1 } : undefined) } : {}),
    };
  },
});
`;

describe('an Idempotency-Key whose run was cut off by kill -9 before anything was sent', () => {
  let served: Served;
  afterEach(() => served.remove());

  /** Runs under a key until the provider was reached, kills the server, and asks again after a restart. */
  async function again(
    reads: boolean,
    before: object = {},
    manifest: object = {},
  ): Promise<{
    readonly status: number;
    readonly code: unknown;
    readonly ended: unknown;
    readonly opening: string;
    accepted: number;
  }> {
    served = createServed({
      adapters: { 'record/vendor': { from: './vendor.ts' } },
      providers: { ...before, vendor: { adapter: 'record/vendor', config: { dir: '.', reads } } },
    });
    mkdirSync(join(served.home, 'data/orbs'));
    writeFileSync(join(served.home, 'vendor.ts'), vendor);
    writeFileSync(join(served.home, `data/orbs/${orb}.json`), JSON.stringify(recordOrb(manifest)));
    writeFileSync(join(served.home, 'hold'), '');
    const ask = ({ url, key }: { url: string; key: string }) =>
      send(url, '/orbisets/default/execute', {
        key,
        headers: { 'idempotency-key': 'once' },
        json: { orb_id: orb, inputs: { token: 'x' }, disclose: true },
      });
    const cut = ask(await served.start()).catch(() => undefined);
    while (!existsSync(join(served.home, 'reached'))) await new Promise((resolve) => setTimeout(resolve, 10));
    await served.kill();
    await cut;
    rmSync(join(served.home, 'hold'));
    const { json, status } = await ask(await served.start());
    const file = join(served.home, 'accepted');
    const accepted = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
    return { status, code: json['code'], ended: json['run_status'], opening: typeof json['opening'], accepted };
  }

  it('is free when the provider proves that: the caller repeats and is served, once', async () => {
    expect(await again(true)).to.deep.equal({
      status: 200,
      code: undefined,
      ended: undefined,
      opening: 'object',
      accepted: 1,
    });
  }).timeout(60_000);

  it('is answered by what is known when nobody can say: unknown, and nothing is sent again', async () => {
    expect(await again(false)).to.deep.equal({
      status: 504,
      code: 'outcome_unknown',
      ended: 'indeterminate',
      opening: 'object',
      accepted: 0,
    });
  }).timeout(60_000);

  it('is answered by a failure when the Orb is metered and has no effect: the call may be billed, and is not sent again', async () => {
    expect(await again(false, {}, { metered: true, effect: 'none', action_class: 'read' })).to.deep.equal({
      status: 502,
      code: 'provider_failed',
      ended: 'failed',
      opening: 'object',
      accepted: 0,
    });
  }).timeout(60_000);

  it('is taken as well when the provider that was reached was not the first of the order', async () => {
    const shut = { adapter: 'record/vendor', config: { dir: '.', reads: false, shut: true } };
    expect(await again(false, { shut })).to.deep.equal({
      status: 504,
      code: 'outcome_unknown',
      ended: 'indeterminate',
      opening: 'object',
      accepted: 0,
    });
  }).timeout(60_000);
});
