import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { send } from '../../helpers/http.ts';
import { unpack } from '../../released/pack.ts';
import { sendMail } from './first-receipt.ts';
import { user, type Ended, type Running } from './room.ts';

/** The release whose state dir the tests keep. */
export const oldVersion = '0.1.0';

/** Writes the home that the old release left into a folder; it belongs to the user of the rooms. */
export function writeOldHome(folder: string, owner = user): void {
  unpack(join(packageDir, `test/released/${oldVersion}.json`), folder);
  // The SMTP server of its provider is gone.
  const file = join(folder, 'data/platform.json');
  const platform = JSON.parse(readFileSync(file, 'utf8')) as { readonly providers: object };
  const providers = { ...platform.providers, 'smtp-main': { adapter: 'email/outbox', config: { directory: 'main' } } };
  writeFileSync(file, JSON.stringify({ ...platform, providers }));
  execFileSync('chown', ['-R', `${owner}:${owner}`, folder]);
}

/** What the tests ask of an upgraded server. */
export interface Upgraded {
  readonly server: Pick<Running, 'url' | 'key'>;
  /** The folder of this machine that is its home, and how the home is called by its commands. */
  readonly homeFolder: string;
  readonly home: string;
  orb(...words: readonly string[]): Ended;
}

/** Expects that a server shows the receipts of the old release, goes on in their log, and that all of it verifies. */
export async function expectOldState({ home, homeFolder, orb, server }: Upgraded): Promise<void> {
  const { key, url } = server;
  for (const [id, { envelope }] of Object.entries(receiptsOf(homeFolder)).slice(-20)) {
    const { json, status, text } = await send(url, `/receipts/${id}`, { key });
    expect([status, json['envelope'], json['signature_valid']], id).to.deep.equal([200, envelope, true]);
    writeFileSync(join(homeFolder, 'old-receipt.json'), text);
  }
  // The last one, with its proof of now.
  const verified = orb('receipts', 'verify', `${home}/old-receipt.json`);
  expect(verified.stdout, verified.stderr).to.match(/^VERIFIED$/m);
  const ran = await sendMail(server, 'ada@example.com');
  expect(ran.status, ran.text).to.equal(200);
  const checked = orb('log', 'fsck');
  expect([checked.status, / entries: OK$/m.test(checked.stdout)], checked.stdout + checked.stderr).to.deep.equal([
    0,
    true,
  ]);
}

function receiptsOf(folder: string): Readonly<Record<string, { readonly envelope: object }>> {
  return JSON.parse(readFileSync(join(folder, 'saved/receipts.json'), 'utf8')) as ReturnType<typeof receiptsOf>;
}
