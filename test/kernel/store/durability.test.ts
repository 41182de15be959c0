import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import notes from '../../helpers/stores/notes.ts';
import { Stores } from '../../helpers/stores/open.ts';
import { readsNow } from '../../helpers/reads.ts';

const writingProcess = fileURLToPath(new URL('../../helpers/stores/writing-process.ts', import.meta.url));

/** Lets a process write until so many writes are acknowledged, kills it, and answers every id it acknowledged. */
async function writeUntilKilled(folder: string, prefix: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [writingProcess, folder, prefix], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'open') acknowledged.push(line);
    if (acknowledged.length === count) child.kill('SIGKILL');
  }
  await gone;
  return acknowledged;
}

describe('a process killed in the middle of writing', () => {
  const stores = new Stores();
  afterEach(() => stores.tidy());

  it('has kept every write it acknowledged, in an unbroken order, three times over', async () => {
    const folder = stores.folder();
    const acknowledged: string[] = [];
    for (const round of ['a', 'b', 'c']) {
      acknowledged.push(...(await writeUntilKilled(folder, round, 500)));
      const store = await stores.open(folder);
      const reads = readsNow(store, notes);
      const kept = new Set(reads.all().map((row) => row['id']));
      expect(acknowledged.filter((id) => !kept.has(id))).to.deep.equal([]);
      const deferred = reads.deferred();
      expect(deferred).to.have.length(kept.size);
      expect(deferred.map((row) => row['position'])).to.deep.equal(deferred.map((_, index) => index + 1));
      await store.close();
    }
    expect(acknowledged.length).to.be.at.least(300);
  });
});
