// Slow: Go compiles openai-go without a cache for half a minute.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { leaveOut } from '../../../helpers/needs.ts';
import { childClient } from './child.ts';
import type { FailureName } from './client.ts';
import { judgesDouble } from './doubles.ts';
import { openai } from './openai.ts';
import { worksUnchanged } from './table.ts';

const go = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
  .map((folder) => join(folder, 'go'))
  .find((path) => existsSync(path));

// One class for all that a server answers; its status tells the rest.
const errors = Object.fromEntries(Object.keys(openai.errors).map((name) => [name, 'openai.Error'])) as Readonly<
  Record<FailureName, string>
>;

describe('clients of Go', () => {
  let folder: string;
  const client = childClient(
    {
      ...openai,
      name: 'Go openai-go',
      errors: { ...errors, interrupted: 'ssestream.StreamError', left: 'context.Canceled' },
    },
    { command: () => [join(folder, 'client')], embeds: true },
  );
  before(async function () {
    this.timeout(240_000);
    if (go === undefined) leaveOut(this, 'go');
    folder = mkdtempSync(join(tmpdir(), 'orb-go-'));
    // Half of the work of the compiler would be to make a fast program. With -trimpath it uses the packages of Go that other
    // builds have compiled.
    const args = [
      'build',
      '-trimpath',
      '-gcflags=github.com/openai/openai-go/v3/...=-N -l -dwarf=false',
      '-ldflags=-s -w',
    ];
    const { status, stderr } = spawnSync(go, [...args, '-o', join(folder, 'client'), '.'], {
      ...{ cwd: join(import.meta.dirname, 'go'), encoding: 'utf8', env: { ...process.env, CGO_ENABLED: '0' } },
    });
    if (status !== 0 && /dial tcp|no such host|connection refused|i\/o timeout/.test(stderr)) leaveOut(this, 'go');
    if (status !== 0) throw new Error(stderr);
    await client.start();
  });
  after(async () => {
    await client.stop();
    rmSync(folder, { recursive: true });
  });
  worksUnchanged(client);
  judgesDouble(client);
});
