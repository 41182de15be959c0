import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { guideBlocks } from '../helpers/guide.ts';
import { postgresFolder } from '../helpers/postgres.ts';
import { usePostgres } from '../helpers/use-postgres.ts';
import { startPlatform } from '../helpers/platform.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const page = 'plugins/docs/pages/operate/postgres.md';
const blocks = guideBlocks(page).map(({ code }) => code.trim());

describe('the page on PostgreSQL', function () {
  this.timeout(120_000);
  const server = usePostgres();
  let home: string;
  let terminal: Terminal;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'orb-pg-guide-'));
    terminal = openTerminal(home);
    await terminal.run(`export PATH="$PATH:${postgresFolder()}" PGHOST=${server.folder} PGUSER=orb`);
  });
  after(async () => {
    terminal?.close();
    if (home !== undefined) rmSync(home, { recursive: true });
  });

  it('makes a database, and settings with which doctor finds nothing wrong but the server of this test', async () => {
    const [create = '', start = ''] = blocks;
    await terminal.run(create);
    const lines = start.split('\n');
    expect(lines.at(-1)).to.equal('npm start');
    const url = /^export ORB_STORE_URL='postgres:\/\/orb:PASSWORD@db\.example:5432\/orb'$/;
    const said = await terminal.run(
      [...lines.slice(0, -1), 'true']
        .map((line) => (url.test(line) ? `export ORB_STORE_URL='${server.url('orb')}'` : line))
        .map((line) => (line === 'npx orb doctor' ? `${line} || true` : line))
        .join('\n'),
    );
    expect(said.stdout).to.match(/^✓ store: PostgreSQL \d+/m);
    // The server of the tests writes without fsync.
    expect(said.stdout).to.match(/^✗ durability: the server has fsync=off/m);
    expect(said.stdout.match(/^✗/gm)).to.have.length(1);
  });

  it('moves the store of a home into a database, on which the server goes on', async () => {
    const platform = await startPlatform({ home: mkdtempSync(join(tmpdir(), 'orb-pg-guide-')) });
    await platform.stop({ keep: true });
    await server.client('moved');
    const other = openTerminal(platform.home);
    try {
      const block =
        blocks.find((code) => code.includes('orb store move'))?.replace(/'postgres:.*?'/, `'${server.url('moved')}'`) ??
        '';
      const { stdout } = await other.run(`export ORB_HOME='${platform.home}'\n${block}`);
      expect(stdout).to.match(/rows of \d+ tables .* the log was checked\.\n.*\n {2}ORB_STORE_URL /);
      expect((await other.run('npx orb log fsck')).stdout, 'the file').to.match(/: OK$/m);
    } finally {
      other.close();
      rmSync(platform.home, { recursive: true });
    }
  });
});
