import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageDir } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { startSmtp } from '../helpers/smtp.ts';
import { startMarket, type Market } from '../plugins/ledger/market.ts';
import type { Answer } from '../helpers/platform.ts';
import { pack } from './pack.ts';

// `node test/released/make.ts <version>`: makes the fixture of a release, with the code of that release. It is made
// once, when the version is released, and never again: what later code does with it is what the test looks at.
const [, , version = ''] = process.argv;
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the version, such as 0.1.0');

const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
const emailOrb = 'notify.email@1.0.0';
const echoOrb = 'demo.echo@1.0.0';
const orbPath = encodeURIComponent(emailOrb);

const smtp = await startSmtp({ tls: 'none' });
const market = await startMarket({
  env: { ORB_PUBLIC_URL: 'https://orb.example' },
  platform: {
    providers: {
      'smtp-main': {
        adapter: 'email/smtp',
        config: { host: '127.0.0.1', port: smtp.port, starttls: 'never', name: 'orb.example' },
      },
      outbox: { adapter: 'email/outbox' },
      echo: { adapter: 'echo/local' },
    },
    bindings: { [emailOrb]: ['smtp-main', 'outbox'] },
    plugins: { policy: { config: { build_compiler: false } } },
  },
});
const { home, stateDir, url, adminKey } = market.platform;
const saved = join(home, 'saved');
mkdirSync(saved);

const admin = async (method: string, path: string, body?: unknown): Promise<Answer['body']> => {
  const answer = await market.platform.call(method, path, body);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
const save = (name: string, value: unknown): void => writeFileSync(join(saved, name), JSON.stringify(value, null, 2));
// The server is in this process, so a command that asks it must not hold it up.
const orb = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(packageDir, 'kernel/orb.js'), ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], ORB_URL: url, ORB_KEY: adminKey },
  });
  return stdout;
};

const keys = { billing: '', support: '', trial: '', revoked: '' };
const execute = (key: string, orbId: string, inputs: object, headers: Record<string, string> = {}) =>
  fetch(`${url}/orbisets/default/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ orb_id: orbId, inputs }),
  });

async function people(): Promise<void> {
  for (const name of Object.keys(keys) as (keyof typeof keys)[]) {
    const mode = name === 'trial' ? 'test' : 'live';
    keys[name] = await market.platform.key({ name, scopes: ['orbs:execute', 'receipts:read'], mode });
  }
  const { keys: made } = await admin('GET', '/keys');
  const { key_id } = made.find(({ name }: { name: string }) => name === 'revoked');
  await admin('DELETE', `/keys/${key_id}`);
}

async function publish(): Promise<void> {
  const signed = await orb('orbs', 'sign', emailOrb, '--key', join(home, 'notify.key'), '--json');
  const { manifest_key } = JSON.parse(signed) as { manifest_key: object };
  const { namespaces } = await admin('GET', '/namespaces');
  const { owner } = namespaces.find(({ namespace }: { namespace: string }) => namespace === 'notify');
  await admin('POST', '/namespaces', { namespace: 'notify', owner, manifest_key });
  for (const orb_id of [emailOrb, echoOrb]) await admin('POST', '/marketplace/orbs/publish', { orb_id });
  await admin('PATCH', `/marketplace/orbs/${encodeURIComponent(echoOrb)}/status`, {
    status: 'deprecated',
    reason: 'replaced',
  });
}

async function daysOfRuns(): Promise<void> {
  for (let day = 0; day < 3; day += 1) {
    for (const key of [keys.billing, keys.support])
      for (let run = 0; run < 8; run += 1) await execute(key, emailOrb, email);
    await market.endDay();
  }
}

async function runsOfEveryKind(): Promise<void> {
  await execute(keys.billing, echoOrb, { text: 'once' }, { 'idempotency-key': 'released-echo' });
  const repeated = await execute(keys.billing, emailOrb, email, { 'idempotency-key': 'released-email' });
  save('repeated.json', await repeated.json());
  await execute(keys.trial, emailOrb, email);
  smtp.misbehaviour.rcpt = () => ({ code: 550, text: '5.1.1 no such user' });
  await execute(keys.billing, emailOrb, email);
  smtp.misbehaviour.rcpt = () => undefined;
  smtp.misbehaviour.data = 'drop';
  const unknown = async (): Promise<string> =>
    String(((await (await execute(keys.support, emailOrb, email)).json()) as Answer['body']).run_id);
  const [resolved, open] = [await unknown(), await unknown()];
  delete smtp.misbehaviour.data;
  save('indeterminate.json', { resolved, open });
  await admin('POST', `/runs/${resolved}/resolve`, { outcome: 'sent' });
}

async function swaps(): Promise<void> {
  await admin('POST', `/providers/${orbPath}/swap`, { provider: 'outbox' });
  await execute(keys.billing, emailOrb, email);
  await admin('POST', `/providers/${orbPath}/rollback`);
  await admin('POST', `/providers/${orbPath}/swap`, { provider: 'outbox' });
  const bad = await market.platform.call('POST', `/providers/${orbPath}/swap`, { provider: 'echo' });
  if (bad.status !== 422) throw new Error(`a swap to an unfit provider answered ${bad.status}`);
}

/** What the store keeps since 0.2.0: a provider, an order of standbys and a schedule. */
async function kept(): Promise<void> {
  await admin('PUT', '/providers/echo-kept', { adapter: 'echo/local' });
  await admin('PUT', `/providers/${encodeURIComponent(echoOrb)}/order`, { standbys: ['echo-kept'] });
  const daily = { orb_id: echoOrb, inputs: { text: 'daily' }, cron: '30 8 * * *', timezone: 'Europe/Berlin' };
  await admin('POST', '/orbisets/default/schedules', daily);
}

async function incidents(): Promise<void> {
  const made = await admin('POST', '/sources', {
    name: 'alerts',
    vendor: 'generic',
    binding: { kind: 'provider', id: 'outbox' },
    policy: { hold_s: 0 },
  });
  const say = async (id: string, state: string, minute: number): Promise<void> => {
    const time = new Date(Date.UTC(2026, 0, 4, 11, minute)).toISOString();
    const text = JSON.stringify({ id, state, severity: 'critical', title: 'down', time });
    const signature = createHmac('sha256', made.secret).update(text).digest('hex');
    const answer = await fetch(`${url}/hooks/${made.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': signature },
      body: text,
    });
    if (answer.status !== 202) throw new Error(`a delivery was answered ${answer.status}`);
  };
  const count = (state: string, wanted: number): Promise<unknown> =>
    until(
      () => admin('GET', `/incidents?state=${state}`),
      (found) => found.incidents.length === wanted,
      `${state} incidents`,
    );
  await say('a', 'firing', 0);
  await count('unresolved', 1);
  await say('a', 'resolved', 5);
  await count('unresolved', 0);
  await say('b', 'firing', 20);
  await count('unresolved', 1);
  const scope = [{ kind: 'component', id: 'ingestion' }];
  const { incident_id } = await admin('POST', '/incidents', { title: 'slow', severity: 'warning', scope });
  await admin('POST', `/incidents/${incident_id}/resolve`, { reason: 'it is fast again' });
  save('source.json', { token: made.token, secret: made.secret });
}

async function settled(m: Market): Promise<void> {
  await m.probe.reputation().settled();
  await m.until(
    'the certificate',
    async () => (await answerOf(`/reputation/${orbPath}/certificate`)).status === 'valid',
  );
}

const answerOf = async (path: string): Promise<Answer['body']> => (await market.platform.call('GET', path)).body;

/** What a later release must still answer, letter for letter or in its members. */
async function answers(): Promise<void> {
  const all = async (path: string, name: string): Promise<Answer['body'][]> => {
    const found: Answer['body'][] = [];
    for (let cursor = ''; ;) {
      const page = await admin(
        'GET',
        `${path}?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      found.push(...page[name]);
      if (typeof page.next_cursor !== 'string' && typeof page.next !== 'string') return found;
      cursor = page.next_cursor ?? page.next;
    }
  };
  const receipts: Record<string, unknown> = {};
  for (const { receipt_id } of await all('/receipts', 'receipts'))
    receipts[receipt_id] = await admin('GET', `/receipts/${receipt_id}`);
  save('receipts.json', receipts);
  const runs: Record<string, unknown> = {};
  for (const { run_id } of await all('/runs', 'runs')) runs[run_id] = await admin('GET', `/runs/${run_id}`);
  save('runs.json', runs);
  for (const [name, path] of [
    ['swaps', '/swaps?limit=100'],
    ['incidents', '/incidents?limit=100'],
    ['sources', '/sources'],
    ['deliveries', '/deliveries?limit=100'],
    ['keys', '/keys'],
    ['namespaces', '/namespaces'],
    ['signing-keys', '/signing-keys'],
    ['marketplace', '/marketplace/orbs'],
    ['profile', `/reputation/${orbPath}`],
    ['history', `/reputation/${orbPath}/history`],
    ['certificate', `/reputation/${orbPath}/certificate`],
    ['provider', `/providers/${orbPath}/status`],
    ['kept-provider', '/providers/echo-kept'],
    ['order', `/providers/${encodeURIComponent(echoOrb)}/order`],
    ['schedules', '/orbisets/default/schedules'],
  ] as const)
    save(`${name}.json`, await admin('GET', path));
  for (const list of ['1', '2'])
    writeFileSync(join(saved, `status-list-${list}.json`), await (await fetch(`${url}/status-lists/${list}`)).text());
  for (const shard of ['0', '1'])
    writeFileSync(join(saved, `checkpoint-${shard}`), await (await fetch(`${url}/log/${shard}/checkpoint`)).text());
}

await people();
await publish();
await daysOfRuns();
await runsOfEveryKind();
await admin('POST', '/signing-keys/rotate', { role: 'log' });
await swaps();
await kept();
await incidents();
await admin('POST', '/signing-keys/rotate', { role: 'receipt' });
await execute(keys.billing, emailOrb, email);
await settled(market);
save('callers.json', keys);
await orb('backup', 'backup');
await execute(keys.support, emailOrb, email);
await settled(market);
await answers();
await orb('receipts', 'export', '--out', 'saved/receipts.tar');
await orb('ledger', 'export', 'saved/ledger');
await market.platform.stop({ keep: true });
await smtp.close();
rmSync(join(home, 'data/state/lock'), { force: true });
pack(home, join(import.meta.dirname, `${version}.json`));
rmSync(home, { recursive: true, force: true });
process.stdout.write(`${version}.json: ${stateDir}\n`);
process.exit(0);
