import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectProblem, send, type Received } from '../../helpers/http.ts';
import { until } from '../../helpers/until.ts';
import { home, user, type Installed, type Running } from './room.ts';

/** Sends an e-mail through a server. */
export function sendMail({ key, url }: Pick<Running, 'key' | 'url'>, to: string, subject = 'hello'): Promise<Received> {
  const inputs = { to, from_address: 'orb@example.com', subject, body: 'It works.' };
  return send(url, '/orbisets/default/execute', { key, json: { orb_id: 'notify.email@1.0.0', inputs } });
}

/** Writes a policy of one's own, waits until it is in force, runs an Orb, and verifies its receipt offline. */
export async function expectFirstReceipt(installed: Installed, server: Running): Promise<void> {
  const { orb } = installed;
  const made = orb('new', 'policy', 'quiet_address');
  expect(made.status, made.stdout + made.stderr).to.equal(0);
  const refused = await until(
    () => sendMail(server, 'nobody@example.com'),
    ({ status }) => status !== 200,
    'the policy',
    200,
  );
  expectProblem(refused, 403, 'access_denied');
  await expectReceipt(installed, server);
}

/** Runs an Orb, and verifies its receipt offline. */
export async function expectReceipt({ homeFolder, orb }: Installed, server: Running): Promise<void> {
  const answer = await sendMail(server, 'ada@example.com');
  expect(answer.status, answer.text).to.equal(200);
  const receipt = orb('receipts', 'get');
  expect(receipt.status, receipt.stderr).to.equal(0);
  const file = join(homeFolder, 'receipt.json');
  writeFileSync(file, receipt.stdout);
  chownSync(file, user, user);
  const { status, stdout, stderr } = orb('receipts', 'verify', `${home}/receipt.json`);
  expect([status, /VERIFIED/.test(stdout)], stdout + stderr).to.deep.equal([0, true]);
}
