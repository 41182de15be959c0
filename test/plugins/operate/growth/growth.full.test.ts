import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const mib = 1024 ** 2;
const growth = new URL('../../../../plugins/operate/growth/growth.ts', import.meta.url).href;
// Its work blocks the thread until standard input ends.
const program = `
  import { readSync } from 'node:fs';
  import { whileGrowing } from '${growth}';
  const growing = { what: 'copying store.db', path: process.argv[2], bytes: ${256 * mib} };
  await whileGrowing({ clear() {} }, growing, () => readSync(0, Buffer.alloc(1)));
  process.exitCode = 7;
`;

describe('the bar of work that blocks its thread', function () {
  this.timeout(60_000);
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'orb-growth-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('is drawn meanwhile by the size of the file, and erased at the end', async () => {
    const path = join(folder, 'store.db');
    writeFileSync(path, '');
    truncateSync(path, 64 * mib);
    // Threads inherit the options of Node, among them those of a program in an option.
    const file = join(folder, 'program.mjs');
    writeFileSync(file, program);
    const child = spawn(process.execPath, [file, path], { stdio: 'pipe' });
    const ended = once(child, 'exit');
    let said = '';
    for await (const part of child.stderr) {
      said += String(part);
      if (said.includes('25%')) truncateSync(path, 128 * mib);
      if (said.includes('50%')) child.stdin.end();
    }
    expect(await ended, said).to.deep.equal([7, null]);
    expect(said)
      .to.match(/\r\u001b\[Kcopying store\.db \[#{6}-{18}\] 25%/)
      .and.match(/\[#{12}-{12}\] 50%/)
      .and.match(/\r\u001b\[K$/);
  });
});
