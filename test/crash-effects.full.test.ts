import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerKey } from './helpers/provider-key.ts';
import { recordOrb } from './helpers/recorder.ts';
import { createServed, type Served } from './helpers/served.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 1);
const orb = 'test.record@1.0.0';
const names = ['a', 'b', 'c'];

// A provider outside the tree that keeps what it accepts in a file, as a vendor would: before it answers.
const vendor = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
export default (api) => api.defineProvider({
  name: 'vendor', capability: { name: 'record', title: 'Record' },
  config: { type: 'object', additionalProperties: false, required: ['file', 'reads'], properties: { file: { type: 'string' }, reads: { type: 'boolean' } } },
  idempotency: { kind: 'lookup' },
  open: ({ config: { file, reads } }) => ({
    probe: async () => undefined,
    execute: async ({ token }, { idempotency_key }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      appendFileSync(file, idempotency_key + '\\n');
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      return { token, by: file, opening: 1 };
    },
    ...(reads ? { lookup: async (key) => (existsSync(file) && readFileSync(file, 'utf8').includes(key) ? { token: 'found', by: file, opening: 1 } : undefined) } : {}),
  }),
});
`;

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly reason?: string;
  readonly receipt_id: string;
}

for (const reads of [false, true]) {
  describe(`kill -9 during runs with an effect, three providers and swaps, providers ${reads ? 'that can be asked' : 'that cannot be asked'}`, () => {
    let served: Served;
    before(() => {
      const provider = (name: string) => ({ adapter: 'record/vendor', config: { file: `./${name}.txt`, reads } });
      served = createServed({
        adapters: { 'record/vendor': { from: './ext/vendor.ts' } },
        providers: Object.fromEntries(names.map((name) => [name, provider(name)])),
        bindings: { [orb]: names },
      });
      mkdirSync(join(served.home, 'ext'));
      mkdirSync(join(served.home, 'data/orbs'));
      writeFileSync(join(served.home, 'ext/vendor.ts'), vendor);
      writeFileSync(join(served.home, `data/orbs/${orb}.json`), JSON.stringify(recordOrb()));
    });
    after(() => served.remove());

    it(`completed ⊆ accepted ⊆ completed ∪ indeterminate, nothing twice, no run without a receipt (${rounds} times)`, async function () {
      this.timeout(30_000 + rounds * 10_000);
      const answered: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const { url, key } = await served.start();
        await loadUntilKilled(url, key, answered, 80 + 30 * round);
      }
      const { url, key } = await served.start();
      const get = async (path: string) =>
        (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<
          Record<string, unknown>
        >;
      const runs = await listRuns(get);
      const accepted = names.flatMap((name) => linesOf(join(served.home, `${name}.txt`)));
      const keysOf = (status: string): Set<string> =>
        new Set(
          runs
            .filter((run) => run.status === status)
            .flatMap(({ run_id }) => names.map((name) => providerKey(run_id, name))),
        );
      const completed = runs.filter(({ status }) => status === 'completed');
      const taken = new Set(accepted);
      expect(taken.size, 'accepted twice').to.equal(accepted.length);
      const lost = completed.filter(({ run_id }) => !names.some((name) => taken.has(providerKey(run_id, name))));
      expect(lost, 'completed, but accepted nowhere').to.deep.equal([]);
      const possible = new Set([...keysOf('completed'), ...keysOf('indeterminate')]);
      expect(
        accepted.filter((token) => !possible.has(token)),
        'accepted, but neither completed nor indeterminate',
      ).to.deep.equal([]);
      expect(new Set(answered).size).to.equal(answered.length);
      const ids = new Set(completed.map(({ run_id }) => run_id));
      expect(
        answered.filter((run_id) => !ids.has(run_id)),
        'answered, but not completed',
      ).to.deep.equal([]);
      for (const { receipt_id, run_id } of runs.filter(({ status }) => status !== 'completed')) {
        const receipt = await get(`/receipts/${receipt_id}`);
        expect([
          receipt['signature_valid'],
          (receipt['statement'] as { predicate: { run_id: string } }).predicate.run_id,
        ]).to.deep.equal([true, run_id]);
      }
      const indeterminate = runs.filter(({ status }) => status === 'indeterminate');
      if (reads) expect(indeterminate).to.deep.equal([]);
      else expect(indeterminate.every(({ reason }) => reason === 'interrupted')).to.equal(true);
      console.log(
        `      ${runs.length} runs, ${accepted.length} accepted, ${completed.length} completed, ${indeterminate.length} indeterminate`,
      );
      expect(await served.stop()).to.equal(0);
    });

    // 16 callers and a swap every few milliseconds, until enough answers have arrived.
    async function loadUntilKilled(url: string, key: string, answered: string[], enough: number): Promise<void> {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const post = (path: string, body: object): Promise<Response | undefined> =>
        fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined);
      const from = answered.length;
      let killed: Promise<void> | undefined;
      const caller = async (): Promise<void> => {
        for (let n = 0; ; n++) {
          const response = await post('/orbisets/default/execute', { orb_id: orb, inputs: { token: `t${n}` } });
          const result = (await response?.json().catch(() => undefined)) as { run_id: string } | undefined;
          if (result === undefined) return;
          if (response?.ok === true) answered.push(result.run_id);
          if (answered.length - from >= enough) killed ??= served.kill();
        }
      };
      const swapper = async (): Promise<void> => {
        for (
          let n = 1;
          (await post(`/providers/${orb}/swap`, { provider: names[n % names.length] })) !== undefined;
          n++
        );
      };
      await Promise.all([...Array.from({ length: 16 }, caller), swapper()]);
      await killed;
    }
  });
}

async function listRuns(get: (path: string) => Promise<Record<string, unknown>>): Promise<Run[]> {
  const runs: Run[] = [];
  for (let cursor = ''; ;) {
    const page = await get(`/runs?limit=100${cursor}`);
    runs.push(...(page['runs'] as Run[]));
    if (typeof page['next_cursor'] !== 'string') return runs;
    cursor = `&cursor=${page['next_cursor']}`;
  }
}

function linesOf(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}
