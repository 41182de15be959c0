import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedFolder } from '../../../plugins/policy/shipped.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

/** A platform whose home holds a copy of the shipped policies. */
export interface PolicyHome {
  readonly platform: TestPlatform;
  /** Absolute path of the policies folder. */
  readonly folder: string;
  write(name: string, text: string | Uint8Array): void;
  remove(name: string): void;
  /** Runs the echo Orb. */
  echo(key?: string, inputs?: object): Promise<Answer>;
  /** Asks the status until it fits; fails after 100 s. */
  until(what: string, fits: (status: Answer['body']) => boolean): Promise<Answer['body']>;
}

/** Starts it; `files` are written into the folder before the start. */
export async function startPolicyHome(
  files: Readonly<Record<string, string>> = {},
  options: PlatformOptions = {},
): Promise<PolicyHome> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'orb-policy-'));
  const folder = join(home, 'policies');
  if (options.home === undefined) cpSync(shippedFolder, folder, { recursive: true });
  const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const platform = await startPlatform({ ...options, home });
  return {
    platform,
    folder,
    write,
    remove: (name) => rmSync(join(folder, name)),
    echo: (key, inputs = { text: 'hello' }) =>
      platform.call('POST', '/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs }, key),
    until: (what, fits) => until(async () => (await platform.call('GET', '/policies/-/status')).body, fits, what),
  };
}
