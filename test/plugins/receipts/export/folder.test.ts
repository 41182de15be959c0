import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { exportedReceipts, looseReceipts, readManifest } from '../../../../plugins/receipts/export/folder.ts';
import { exportFormat } from '../../../../plugins/receipts/verifier/archive/exported.ts';
import { provedIn, signedEnvelope } from '../sample.ts';

describe('a folder of receipts', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const put = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const manifest = (change: object): void =>
    put('export.json', JSON.stringify({ format: exportFormat, logs: [], ...change }));
  const fault = () =>
    readManifest(folder).then(
      () => '',
      (error: unknown) => String(error),
    );
  const pathsOf = async (files: AsyncIterable<{ readonly path: string }>): Promise<string[]> => {
    const paths: string[] = [];
    for await (const { path } of files) paths.push(path);
    return paths;
  };

  it('is no export without a manifest, and is refused with one of another format', async () => {
    expect(await readManifest(folder)).to.equal(undefined);
    for (const change of [{ format: 'agent-orb-export/2' }, { format: undefined }, { logs: {} }]) {
      manifest(change);
      expect(await fault()).to.include(`is not of the format ${exportFormat}`);
    }
  });

  it('names its logs by shards alone: whatever else would be a path is refused, and no log is passed over', async () => {
    for (const shard of ['..', '../../etc', '0/../1', '', '0-xyz', '0-0badcafe0', '1234567890123456', 0, undefined]) {
      manifest({
        logs: [
          { shard: '0', origin: 'a' },
          { shard, origin: 'b' },
        ],
      });
      expect(await fault(), String(shard)).to.include('contains an invalid log name');
    }
    manifest({
      logs: [
        { shard: '0', origin: 'a' },
        { shard: '1-0badcafe', origin: 'b' },
      ],
    });
    expect(await readManifest(folder)).to.deep.include({ shards: ['0', '1-0badcafe'], origins: ['a', 'b'] });
  });

  it('claims what it says outright, and nothing by another word', async () => {
    const claims = { complete: true, unbroken: true, tiles: true };
    manifest(claims);
    expect(await readManifest(folder)).to.deep.include(claims);
    for (const word of [false, 'true', 1, undefined]) {
      manifest({ complete: word, unbroken: word, tiles: word });
      expect(await readManifest(folder)).to.deep.include({ complete: false, unbroken: false, tiles: false });
    }
  });

  it('is read in the order of its logs', async () => {
    const paths = [
      'receipts/1/000000000/2',
      'receipts/0/000000001/1',
      'receipts/0/000000000/9',
      'receipts/0/000000000/3',
    ];
    for (const path of paths) put(path, '{}');
    expect(await pathsOf(exportedReceipts(folder, ['1', '0']))).to.deep.equal([
      ...['receipts/1/000000000/2', 'receipts/0/000000000/3', 'receipts/0/000000000/9', 'receipts/0/000000001/1'],
    ]);
  });

  it('holds no receipt where there is no folder, and is not taken for empty when it cannot be read', async () => {
    put('receipts/0/file', '{}');
    expect(await pathsOf(exportedReceipts(folder, ['0', '1']))).to.deep.equal([]);
    const error = await pathsOf(exportedReceipts(folder, ['x'.repeat(300)])).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'ENAMETOOLONG');
  });

  it('reads also what stands beside the receipts of its logs under the name of one', async () => {
    const due = 'receipts/0/000000000/1.json';
    const others = [
      'receipts/0/000000000/deep/2.json',
      'receipts/0/3.json',
      'receipts/1/000000000/4.json',
      'receipts/5.json',
    ];
    for (const path of [due, ...others, 'receipts/notes.txt']) put(path, '{}');
    const paths = await pathsOf(exportedReceipts(folder, ['0']));
    expect([paths[0], paths.toSorted()]).to.deep.equal([due, [due, ...others].toSorted()]);
  });

  it('names no shard twice', async () => {
    const log = { shard: '0', origin: 'a' };
    manifest({ logs: [log, log] });
    expect(await fault()).to.include('lists a shard twice');
  });

  it('that is no export is read in the order of the places that its receipts claim; other files are left out', async () => {
    const payload = '{}';
    const { entry, envelope } = signedEnvelope(payload);
    const at = (index: number, origin: string): string =>
      JSON.stringify({
        envelope,
        proof: provedIn(
          Array.from({ length: index + 1 }, () => entry),
          index,
          origin,
        ),
      });
    put('a.json', at(10, 'ins_1.orb/receipts/0'));
    put('b.json', at(9, 'ins_1.orb/receipts/0'));
    put('c.json', at(0, 'ins_1.orb/receipts/1'));
    put('d.json', at(3, 'ins_0.orb/receipts/0'));
    put('e.json', 'no receipt');
    put('f.txt', at(0, 'ins_1.orb/receipts/0'));
    expect(await pathsOf(looseReceipts(folder))).to.deep.equal(['e.json', 'd.json', 'b.json', 'a.json', 'c.json']);
  });
});
