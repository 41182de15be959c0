import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import type { Principal, Reply } from '../../../../kernel/index.ts';
import type { Harness } from '../harness.ts';

/** Exports through the route and unpacks with the tar of the system; answers the folder. */
export async function extracted(
  receipts: Harness,
  under: string,
  query: object = {},
  principal: Partial<Principal> = { tenant: 'default', scopes: ['*'] },
): Promise<string> {
  const { stream } = (await receipts.call('/receipts/export', {}, principal, query)) as Reply;
  const folder = join(under, `export-${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  await pipeline(Readable.from(stream ?? expect.fail('no stream')), createWriteStream(archive));
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  return folder;
}
