import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { createServed, type Served } from '../helpers/served.ts';
import type { SmtpReceiver } from '../helpers/smtp.ts';
import { closedPort } from '../helpers/vendor.ts';

/** Orbs under load: one without and one with an effect, and some to publish. */
export const echoOrb = 'demo.echo@1.0.0';
export const emailOrb = 'notify.email@1.0.0';
export const publishedOrbs: readonly string[] = Array.from({ length: 4 }, (_, n) => `demo.soak-${n}@1.0.0`);

/** Providers in their order; a swap goes to any of them. */
export const echoProviders = ['echo-a', 'echo-b', 'echo-c'];
export const emailProviders = ['smtp-a', 'smtp-b', 'outbox'];

/** Tenants; each has an Orbiset of its name. */
export const tenants = ['north', 'south', 'east'];

/** Makes a home with all that the load needs; the listener keeps its port over restarts. */
export async function createHome(mail: SmtpReceiver): Promise<Served> {
  const smtp = {
    adapter: 'email/smtp',
    config: { host: '127.0.0.1', port: mail.port, starttls: 'never', name: 'soak.test' },
  };
  const served = createServed(
    {
      listen: [{ address: `127.0.0.1:${await closedPort()}` }],
      providers: {
        ...Object.fromEntries(echoProviders.map((name) => [name, { adapter: 'echo/local' }])),
        'smtp-a': smtp,
        'smtp-b': smtp,
        outbox: { adapter: 'email/outbox' },
      },
      bindings: { [echoOrb]: echoProviders, [emailOrb]: emailProviders },
    },
    { preload: new URL('./collect.ts', import.meta.url) },
  );
  cpSync(join(packageDir, 'policies'), join(served.home, 'policies'), { recursive: true });
  for (const folder of ['orbs', 'orbisets'])
    cpSync(join(packageDir, 'data', folder), join(served.home, 'data', folder), { recursive: true });
  for (const tenant of tenants)
    writeJson(served, `orbisets/${tenant}.json`, { id: tenant, tenant, orbs: [echoOrb, emailOrb] });
  const echo = JSON.parse(readFileSync(join(packageDir, `data/orbs/${echoOrb}.json`), 'utf8')) as object;
  for (const orbId of publishedOrbs)
    writeJson(served, `orbs/${orbId}.json`, { ...echo, orb_id: orbId, title: `Echo ${orbId}` });
  return served;
}

function writeJson(served: Served, name: string, value: object): void {
  const file = join(served.home, 'data', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}
