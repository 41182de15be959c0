import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDir } from './helpers/folder.ts';
import { needPostgres } from './helpers/use-postgres.ts';

/** Of what `npm run test:postgres` runs, which the soak does: a file of the kernel and one of the runs. Those of a cluster read the other tables. */
const files = ['test/front-door/keys.test.ts', 'test/plugins/runtime/runs.test.ts'] as const;

interface Report {
  readonly tests: readonly { readonly file: string; readonly fullTitle: string }[];
  readonly failures: readonly {
    readonly file: string;
    readonly fullTitle: string;
    readonly err: { readonly stack?: string };
  }[];
}

describe('a platform that keeps its store in PostgreSQL', function () {
  this.timeout(600_000);
  let report: Report;
  before(async function () {
    needPostgres(this);
    const folder = mkdtempSync(join(tmpdir(), 'orb-report-'));
    const output = join(folder, 'report.json');
    const reporting = ['--reporter', 'json', '--reporter-option', `output=${output}`];
    const env = { ...process.env, STORE: 'postgres', SUITE_RECORD: undefined };
    const program = [join(packageDir, 'test/run.ts'), ...files, ...reporting];
    await once(spawn(process.execPath, program, { cwd: packageDir, env, stdio: 'ignore' }), 'exit');
    report = JSON.parse(readFileSync(output, 'utf8')) as Report;
    rmSync(folder, { recursive: true });
  });

  for (const file of files)
    it(`passes ${file}`, () => {
      const of = <T extends { readonly file: string }>(all: readonly T[]): readonly T[] =>
        all.filter((one) => one.file === join(packageDir, file));
      // As a text: the report of a list leaves out what its items say.
      const failures = of(report.failures).map(({ err, fullTitle }) => `${fullTitle}\n${err.stack ?? ''}`);
      if (failures.length > 0) expect.fail(failures.join('\n'));
      expect(of(report.tests)).not.to.be.empty;
    });
});
