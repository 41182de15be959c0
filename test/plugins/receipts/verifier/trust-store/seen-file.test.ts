import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Checkpoint } from '../../../../../plugins/receipts/log/pure/note.ts';
import {
  keepFetched,
  keepSeen,
  newestSeen,
  readSeen,
} from '../../../../../plugins/receipts/verifier/trust-store/seen-file.ts';
import { temporaryDir } from '../../harness.ts';

const origin = 'log.example';
const tree = (size: bigint, byte = Number(size)): Checkpoint => ({
  ...{ origin, size },
  root: new Uint8Array(32).fill(byte),
});

describe('the checkpoints that were verified', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let notes: string[];
  beforeEach(() => {
    dir = temporaryDir();
    notes = [];
  });
  afterEach(() => dir.remove());

  const call = (folder = dir.path) => ({ stateDir: folder, note: (text: string) => void notes.push(text) });
  const sizes = async (): Promise<(bigint | undefined)[]> =>
    ((await readSeen(dir.path)).get(origin)?.trees ?? []).map(({ size }) => size);

  it('are remembered, of each log the largest and the smaller ones it is proved to begin with', async () => {
    await keepSeen(call(), [tree(3n)], undefined);
    await keepSeen(call(), [tree(5n), tree(7n)], tree(3n));
    const seen = await readSeen(dir.path);
    expect([...seen.keys()]).to.deep.equal([origin]);
    expect(newestSeen(seen, origin)).to.deep.equal(tree(7n));
    expect(await sizes()).to.deep.equal([3n, 5n, 7n]);
    expect(newestSeen(seen, 'other.example')).to.equal(undefined);
    expect(notes).to.deep.equal([]);
  });

  it('are not replaced by what was proved to go on from another tree than the one remembered by now', async () => {
    await keepSeen(call(), [tree(3n)], undefined);
    for (const since of [undefined, tree(2n), tree(3n, 9)]) await keepSeen(call(), [tree(7n)], since);
    expect(await sizes()).to.deep.equal([3n]);
    expect(notes).to.have.length(3);
    expect(notes[0]).to.include('another command saved one at the same time');
    await keepSeen(call(), [tree(3n)], undefined);
    expect(notes, 'what is remembered already is no loss').to.have.length(3);
    await keepSeen(call(), [tree(3n, 9)], tree(3n));
    expect(newestSeen(await readSeen(dir.path), origin), 'of one size the first stays').to.deep.equal(tree(3n));
  });

  it('are not lost when several commands remember at once', async () => {
    const many = Array.from({ length: 2000 }, (_, at) => tree(BigInt(at + 1), 1));
    await keepSeen(call(), [tree(3n)], undefined);
    for (let round = 0; round < 8; round++) {
      const others = ['a', 'b', 'c'].map((name) => many.map((one) => ({ ...one, origin: `${name}${round}.example` })));
      await Promise.all(others.map((trees) => keepSeen(call(), trees, undefined)));
      expect(await sizes(), `after round ${round}`).to.deep.equal([3n]);
    }
    const seen = await readSeen(dir.path);
    expect(seen.size, 'three logs in each of eight rounds, and the first').to.equal(25);
    for (const name of seen.keys()) expect(newestSeen(seen, name), name).not.to.equal(undefined);
    expect(notes).to.deep.equal([]);
    expect(readdirSync(dir.path)).to.deep.equal(['seen-checkpoints.json']);
  });

  it('are not lost when several processes remember at once', async () => {
    const module = new URL('../../../../../plugins/receipts/verifier/trust-store/seen-file.ts', import.meta.url).href;
    const script = `import { once } from 'node:events';
      import { keepSeen } from ${JSON.stringify(module)};
      const [, name, stateDir] = process.argv;
      console.log('ready');
      await once(process.stdin, 'data');
      for (let at = 0; at < 20; at++) {
        const tree = { origin: name + at + '.example', size: 3n, root: new Uint8Array(32) };
        await keepSeen({ stateDir, note: console.log }, [tree], undefined);
      }
      process.exit();`;
    const running = ['a', 'b', 'c'].map((name) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, name, dir.path]),
    );
    const children = running.map(({ child }) => child);
    await Promise.all(children.flatMap(({ stdout }) => (stdout === null ? [] : [once(stdout, 'data')])));
    for (const { stdin } of children) stdin?.write('go');
    for (const { stdout } of await Promise.all(running)) expect(stdout).to.equal('ready\n');
    expect((await readSeen(dir.path)).size).to.equal(60);
    expect(readdirSync(dir.path)).to.deep.equal(['seen-checkpoints.json']);
  });

  it('are of one log those of the first command, when two have proved them from the same one', async () => {
    await keepSeen(call(), [tree(3n)], undefined);
    await Promise.all([7n, 9n].map((size) => keepSeen(call(), [tree(size)], tree(3n))));
    expect((await sizes()).length).to.equal(2);
    expect(notes).to.have.length(1);
  });

  it('are as many as fit: the newest, and the largest before it', async () => {
    const all = Array.from({ length: 300 }, (_, at) => tree(BigInt(at + 1), 1));
    await keepSeen(call(), all, undefined);
    const kept = await sizes();
    expect([kept.length, kept[0], kept.at(-1)]).to.deep.equal([257, 44n, 300n]);
  });

  it('are told from those that fetched receipts have shown, until these are proved', async () => {
    await keepFetched(dir.path, tree(5n));
    for (const byte of [5, 5, 6]) await keepFetched(dir.path, tree(5n, byte));
    expect(newestSeen(await readSeen(dir.path), origin)).to.equal(undefined);
    await keepFetched(dir.path, tree(4n));
    const fetched = async () => (await readSeen(dir.path)).get(origin)?.fetched.map(({ size }) => size);
    expect(await fetched()).to.deep.equal([4n, 5n]);
    await keepSeen(call(), [tree(4n), tree(8n)], undefined);
    expect([await sizes(), await fetched()]).to.deep.equal([[4n, 8n], [5n]]);
    await keepFetched(dir.path, tree(8n));
    expect(await fetched()).to.deep.equal([5n]);
    for (let size = 10n; size < 40n; size++) await keepFetched(dir.path, tree(size));
    expect((await fetched())?.length).to.equal(16);
  });

  it('are read as far as they are well-formed', async () => {
    const root = Buffer.from(tree(7n).root).toString('base64');
    const log = { size: '7', root, earlier: { 3: root, 9: root, 4: 'AA==', x: root }, fetched: [] };
    const content = { [origin]: log, a: 1, b: { size: 7, root }, c: { size: '07', root }, d: { earlier: { 3: root } } };
    writeFileSync(join(dir.path, 'seen-checkpoints.json'), JSON.stringify(content));
    expect(await sizes()).to.deep.equal([3n, 7n]);
    const seen = await readSeen(dir.path);
    for (const name of ['a', 'b', 'c', 'd']) expect(newestSeen(seen, name), name).to.equal(undefined);
  });

  it('are said not to be remembered where nothing can be written: a rollback would go unseen', async () => {
    const nowhere = join(dir.path, 'nowhere');
    await keepSeen(call(nowhere), [tree(3n)], undefined);
    expect(notes).to.have.length(1);
    expect(notes[0]).to.include(`the checkpoint was not saved (ENOENT: ${nowhere})`);
    expect((await readSeen(nowhere)).size).to.equal(0);
    await keepFetched(nowhere, tree(3n));
    expect(notes, 'what was only fetched is no loss').to.have.length(1);
    expect(() => readFileSync(join(nowhere, 'seen-checkpoints.json'))).to.throw('ENOENT');
  });
});
