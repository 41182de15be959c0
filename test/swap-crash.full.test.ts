import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServed, type Served } from './helpers/served.ts';

const orb = 'demo.echo@1.0.0';

// An adapter outside the tree that kills its own process at a step: open, probe, or some time after the probe.
const suicidal = `
import { existsSync, readFileSync } from 'node:fs';
const die = () => process.kill(process.pid, 'SIGKILL');
export default (api) => api.defineProvider({
  name: 'mortal', capability: { name: 'echo', title: 'Echo' },
  config: { type: 'object', additionalProperties: false, properties: { order: { type: 'string' } }, required: ['order'] },
  sandbox: true,
  open: ({ config: { order } }) => {
    const at = existsSync(order) ? readFileSync(order, 'utf8') : 'never';
    if (at === 'open') die();
    return {
      probe: async () => {
        if (at === 'probe') die();
        if (at.startsWith('+')) setTimeout(die, Number(at.slice(1)));
      },
      execute: async ({ text }) => ({ text }),
      close: async () => { if (at === 'close') die(); },
    };
  },
});
`;

interface Swap {
  readonly swap_id: string;
  readonly state: string;
  readonly receipt_id: string;
  readonly to: string;
}

const between = ['+0', '+1', '+2', '+4', '+8'];
// In full with CRASH_ROUNDS, as in the soak.
const steps = ['open', 'probe', ...between.slice(0, process.env['CRASH_ROUNDS'] === undefined ? 2 : between.length)];

describe('kill -9 at each step of a swap', () => {
  let served: Served;
  beforeEach(() => {
    served = createServed({ ...settings() });
    mkdirSync(join(served.home, 'ext'));
    writeFileSync(join(served.home, 'ext/mortal.ts'), suicidal);
  });
  afterEach(() => served.remove());

  const settings = () => ({
    adapters: { 'echo/mortal': { from: './ext/mortal.ts' } },
    providers: {
      echo: { adapter: 'echo/local' },
      mortal: { adapter: 'echo/mortal', config: { order: './order.txt' } },
    },
    bindings: { [orb]: ['echo'] },
  });

  for (const step of steps) {
    it(`killed at ${step}: no swap stays open; the old provider serves, or the new one and the swap is completed`, async function () {
      writeFileSync(join(served.home, 'order.txt'), step);
      const { url, key } = await served.start();
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answered = await fetch(`${url}/providers/${orb}/swap`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ provider: 'mortal' }),
      })
        .then((response) => response.ok)
        .catch(() => false);
      await served.exited();
      writeFileSync(join(served.home, 'order.txt'), 'never');
      const again = await served.start();
      const get = async (path: string) =>
        (await fetch(again.url + path, { headers })).json() as Promise<Record<string, unknown>>;
      const { swaps } = (await get('/swaps')) as unknown as { swaps: Swap[] };
      const status = await get(`/providers/${orb}/status`);
      const [swap] = swaps;
      if (swap === undefined) return expect.fail('the swap left no trace');
      expect(swap.state).to.be.oneOf(['failed', 'completed']);
      expect(status).to.include({
        active_provider: swap.state === 'completed' ? 'mortal' : 'echo',
        swap_status: 'stable',
      });
      if (answered) expect(swap.state).to.equal('completed');
      if (step === 'open' || step === 'probe') expect(swap).to.include({ state: 'failed', reason: 'interrupted' });
      const receipt = await get(`/receipts/${swap.receipt_id}`);
      expect(receipt['signature_valid']).to.equal(true);
      const run = await fetch(`${again.url}/orbisets/default/execute`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ orb_id: orb, inputs: { text: 'x' } }),
      });
      expect(run.status).to.equal(200);
    });
  }
});
