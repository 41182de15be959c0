import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { recordOrb } from '../../helpers/recorder.ts';
import { createServed, type Served } from '../../helpers/served.ts';

/** The Orb whose effects are counted. */
export const countedOrb = 'test.record@1.0.0';

// A provider outside the tree that keeps what it accepts in a file, as a vendor would: before it answers.
const vendor = `
import { appendFileSync } from 'node:fs';
export default (api) => api.defineProvider({
  name: 'vendor', capability: { name: 'record', title: 'Record' },
  config: { type: 'object', additionalProperties: false, required: ['file'], properties: { file: { type: 'string' } } },
  open: ({ config: { file } }) => ({
    probe: async () => undefined,
    execute: async ({ token }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      appendFileSync(file, token + '\\n');
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      return { token, by: file, opening: 1 };
    },
  }),
});
`;

/** A server whose provider counts effects, at an address that stays. */
export interface Counted {
  readonly served: Served;
  readonly url: string;
  /** How often each token had its effect. */
  effects(): ReadonlyMap<string, number>;
}

/** Makes such a server. */
export async function createCounted(): Promise<Counted> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const served = createServed({
    listen: [{ address: `127.0.0.1:${port}` }],
    adapters: { 'record/vendor': { from: './ext/vendor.ts' } },
    providers: { vendor: { adapter: 'record/vendor', config: { file: './effects.txt' } } },
  });
  for (const folder of ['ext', 'data/orbs']) mkdirSync(join(served.home, folder), { recursive: true });
  writeFileSync(join(served.home, 'ext/vendor.ts'), vendor);
  writeFileSync(join(served.home, `data/orbs/${countedOrb}.json`), JSON.stringify(recordOrb()));
  const file = join(served.home, 'effects.txt');
  appendFileSync(file, '');
  return {
    served,
    url: `http://127.0.0.1:${port}`,
    effects() {
      const counts = new Map<string, number>();
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
      for (const token of lines) counts.set(token, (counts.get(token) ?? 0) + 1);
      return counts;
    },
  };
}
