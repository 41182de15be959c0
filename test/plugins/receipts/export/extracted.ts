import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import type { CommandCall, Principal, Reply } from '../../../../kernel/index.ts';
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

/** What a command printed, and its exit code. */
export interface Said<T> {
  readonly exit: number;
  readonly value: T;
  readonly text: string;
  readonly notes: string;
}

/** Runs a command that needs no server, or the client that is given. */
export async function runCommand<T>(
  command: { run(call: CommandCall): Promise<number | void> },
  stateDir: string,
  args: readonly string[] = [],
  more: Partial<CommandCall> = {},
): Promise<Said<T>> {
  let [value, text, notes]: [unknown, string, string] = [undefined, '', ''];
  const exit = await command.run({
    ...{ args, stateDir, options: {}, env: {} },
    client: () => expect.fail('there is no server'),
    print: (printed, shown) => {
      value = printed;
      text = shown;
    },
    note: (said) => void (notes += said),
    ...more,
  });
  return { exit: exit ?? 0, value: value as T, text, notes };
}
