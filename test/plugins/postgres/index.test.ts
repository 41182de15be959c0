import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { shippedProgram } from '../../helpers/program.ts';

/** Lists the files that an import of some files loads at once. */
function loadedBy(...files: readonly string[]): ReadonlySet<string> {
  const found = new Set(files);
  for (const file of found) {
    const text = readFileSync(join(packageDir, file), 'utf8');
    for (const [, typeOnly, target = ''] of text.matchAll(/^(?:import|export|\}) ?(type )?[^;]*?from '([^']+)';$/gm)) {
      const path = join(dirname(file), target);
      if (typeOnly === undefined && target.startsWith('.') && existsSync(join(packageDir, path))) found.add(path);
    }
  }
  return found;
}

describe('the plugin of PostgreSQL', () => {
  it('costs a store in a file nothing: of it are loaded what it declares, its routes, commands and examination', () => {
    const loaded = loadedBy(
      'kernel/main.ts',
      'kernel/kernel.ts',
      'kernel/store/threads/thread.ts',
      'plugins/stores.ts',
    );
    expect(loaded.size).to.be.greaterThan(400);
    expect([...loaded].filter((file) => file.startsWith('plugins/postgres/')).sort()).to.deep.equal([
      'plugins/postgres/connection/address.ts',
      'plugins/postgres/examination.ts',
      'plugins/postgres/index.ts',
      'plugins/postgres/move/command.ts',
      'plugins/postgres/nodes/alike.ts',
      'plugins/postgres/nodes/commands.ts',
      'plugins/postgres/nodes/routes.ts',
    ]);
    expect([...loaded]).not.to.include('kernel/engine.ts');
  });

  it('is named when it is left out and the store is a database', () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-left-out-'));
    mkdirSync(join(home, 'data'));
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify({ plugins: { postgres: false } }));
    const check = (env: object) =>
      spawnSync(process.execPath, [shippedProgram, 'config', 'check'], {
        ...{ cwd: home, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', ...env } },
      });
    try {
      const { status, stderr } = check({ ORB_STORE_URL: 'postgres://orb:xyzzy@127.0.0.1/orb' });
      expect(status, stderr).to.equal(78);
      expect(stderr).to.contain('remove "postgres": false from plugins').and.not.contain('xyzzy');
      expect(check({}).status).to.equal(0);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }).timeout(60_000);
});
