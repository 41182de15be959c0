import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { ReceiptDocument } from '../../../../plugins/receipts/contract.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { verifyCommand } from '../../../../plugins/receipts/commands/verify.ts';
import type { Manifest } from '../../../../plugins/receipts/export/manifest.ts';
import type { FolderReport } from '../../../../plugins/receipts/verifier/archive/files.ts';
import { runCommand, type Said } from '../../../helpers/command.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';
import { extracted } from './extracted.ts';
import { need } from '../../../helpers/needs.ts';

interface Found {
  readonly flaws: readonly { readonly where: string; readonly what: string }[];
}

describe('an export of receipts', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let whole: string;
  // The runs, after the entries of the keys.
  let size: number;

  before(async function () {
    this.timeout(60_000);
    dir = temporaryDir();
    receipts = await startReceipts(dir.path);
    await Promise.all(Array.from({ length: 200 }, (_, at) => receipts.attest(newRun(`o${at % 2}`))));
    await Promise.all(Array.from({ length: 100 }, () => receipts.attest(newRun('theirs', { tenant: 'other' }))));
    whole = await extracted(receipts, dir.path);
    const manifest = JSON.parse(readFileSync(join(whole, 'export.json'), 'utf8')) as Manifest;
    size = manifest.logs[0]?.size ?? 0;
    expect(size).to.be.greaterThan(300);
  });
  after(async () => {
    await receipts.stop();
    dir.remove();
  });

  const verify = (folder: string, options = {}): Promise<Said<FolderReport>> =>
    runCommand(verifyCommand, dir.path, [folder], { options });
  const fsck = (folder: string): Promise<Said<Found>> => runCommand(fsckCommand, dir.path, [folder]);
  const files = (folder: string): string[] =>
    readdirSync(join(folder, 'receipts'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(folder, 'receipts', name));
  const copied = (change: (folder: string) => void): string => {
    const folder = `${whole}-${Math.random().toString(36).slice(2)}`;
    cpSync(whole, folder, { recursive: true });
    change(folder);
    return folder;
  };
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  const flip = (path: string, at: number): void => {
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };

  it('is whole: every receipt of the log with its proof, the trees, the keys, and how to check them', async () => {
    expect(files(whole)).to.have.length(size);
    const { exit, value } = await verify(whole);
    expect([value.overall, exit, value.receipts, value.verified]).to.deep.equal(['VERIFIED', 0, size, size]);
    expect(value.checks.map(({ name, result }) => `${name} ${result}`)).to.deep.equal([
      'orbiset_chain pass',
      'completeness pass',
    ]);
    const checked = await fsck(whole);
    expect([checked.exit, checked.value.flaws]).to.deep.equal([0, []]);
    for (const name of ['HOWTO.md', 'jwks.json', 'policy', 'export.json'])
      expect(readFileSync(join(whole, name), 'utf8')).to.not.equal('');
  }).timeout(60_000);

  it('is not whole to fsck when it names no log: there is nothing to check', async () => {
    const folder = copied((path) => {
      rmSync(join(path, 'receipts'), { recursive: true });
      edit(join(path, 'export.json'), (text) =>
        JSON.stringify({ ...(JSON.parse(text) as Manifest), complete: false, unbroken: false, logs: [] }),
      );
    });
    const { exit, value } = await fsck(folder);
    expect([exit, value.flaws.map(({ where }) => where)]).to.deep.equal([3, ['export.json']]);
  });

  it('shows a tenant its own alone, and says within limits that it cannot know whether that is all', async () => {
    const folder = await extracted(receipts, dir.path, {}, { tenant: 'other', scopes: ['receipts:read'] });
    const { value } = await verify(folder);
    expect([value.overall, value.verified]).to.deep.equal(['VERIFIED-WITH-LIMITS', 100]);
    expect(value.limits.join()).to.match(/^completeness: /);
    for (const path of files(folder))
      expect((JSON.parse(readFileSync(path, 'utf8')) as ReceiptDocument).statement?.predicate.tenant).to.equal('other');
  }).timeout(60_000);

  it('filters as the list does, then without the trees unless they are asked for', async () => {
    const { next } = { next: new Date(Date.now() + 86_400_000).toISOString() };
    for (const [query, count, exit] of [
      [{ orbiset: 'o1' }, 100, 0],
      [{ status: 'completed' }, 300, 0],
      [{ orb: 'no.such@1.0.0' }, 0, 3],
      [{ from: '2026-11-20T20:00:00.342Z', to: '2026-11-20T20:00:00.343Z', orbiset: 'o0' }, 100, 0],
      [{ from: next }, 0, 3],
    ] as const) {
      const folder = await extracted(receipts, dir.path, query);
      const { value } = await verify(folder);
      expect([value.receipts, value.exit], JSON.stringify(query)).to.deep.equal([count, exit]);
      expect(readdirSync(join(folder, 'log/0'))).to.deep.equal(['checkpoint']);
    }
    const folder = await extracted(receipts, dir.path, { orbiset: 'o1', tiles: true });
    expect((await fsck(folder)).exit).to.equal(0);
  }).timeout(60_000);

  it('is checked with the tools of any system: jq, openssl', function () {
    need(this, 'jq', 'openssl');
    const howto = readFileSync(join(whole, 'HOWTO.md'), 'utf8');
    const [, block = ''] = /one signature\n\n([\s\S]+?)\n\n/.exec(howto) ?? [];
    const script = block.replace(/F=.*/, 'F="$1"').replaceAll('PINNED-jwks.json', join(dir.path, 'jwks.json'));
    const run = (path: string): string =>
      execFileSync('bash', ['-euc', script, 'howto', path], { cwd: whole, encoding: 'utf8' });
    const [first = ''] = files(whole);
    expect(run(first)).to.include('Signature Verified Successfully');
    const forged = join(dir.path, 'forged.json');
    const document = JSON.parse(readFileSync(first, 'utf8')) as ReceiptDocument;
    const payload = Buffer.from(document.envelope.payload, 'base64').toString().replace('created', 'revoked');
    const envelope = { ...document.envelope, payload: Buffer.from(payload).toString('base64') };
    writeFileSync(forged, JSON.stringify({ ...document, envelope }));
    expect(() => run(forged)).to.throw();
  });

  describe('with a flipped bit', () => {
    for (const [name, path, at, where] of [
      ['an entry', 'log/0/tile/entries/000', 5 * 402 + 100, 'entry 5'],
      ['an entry after the last full tile', 'log/0/tile/entries/001.p/WIDTH', 3 * 402 + 100, 'entry 259'],
      ['a tile', 'log/0/tile/0/000', 70, 'tile/0/000'],
      ['a tile above', 'log/0/tile/1/000.p/1', 3, 'tile/1/000'],
      ['the checkpoint', 'log/0/checkpoint', 60, 'checkpoint'],
    ] as const)
      it(`is pointed at in ${name}`, async () => {
        const { exit, value } = await fsck(
          copied((folder) => flip(join(folder, path.replace('WIDTH', String(size - 256))), at)),
        );
        expect(exit).to.be.oneOf([1, 2, 3]);
        expect(
          value.flaws.some((flaw) => flaw.where.includes(where)),
          JSON.stringify(value.flaws),
        ).to.equal(true);
      }).timeout(60_000);

    it('is pointed at in a receipt', async () => {
      const folder = copied((to) => edit(files(to)[77] ?? '', (text) => text.replace('"sig":"', '"sig":"AA')));
      const { exit, value } = await fsck(folder);
      expect(exit).to.be.oneOf([1, 2]);
      expect(value.flaws.some(({ where }) => where.startsWith('receipts/0/000000000/000000000077-rec_'))).to.equal(
        true,
      );
    }).timeout(60_000);
  });

  it('is rejected when a receipt is missing, moved or doubled, though every other verifies', async () => {
    const name = (folder: string, at: number): string => files(folder)[at] ?? '';
    for (const [change, failed] of [
      [(to: string) => rmSync(name(to, 100)), ['orbiset_chain', 'completeness']],
      [(to: string) => rmSync(name(to, size - 1)), ['completeness']],
      [(to: string) => cpSync(name(to, 100), `${name(to, 100)}-.json`), ['orbiset_chain', 'completeness']],
      [(to: string) => rmSync(join(to, 'receipts/0'), { recursive: true }), ['completeness']],
    ] as const) {
      const { exit, value } = await verify(copied(change));
      expect(exit).to.be.oneOf([1]);
      const names = value.checks.filter(({ result }) => result === 'fail').map(({ name: failing }) => failing);
      expect(names).to.deep.equal(failed);
    }
  }).timeout(60_000);

  it('is rejected when a receipt stands under the name of another, though all are filtered', async () => {
    for (const [from, to] of [
      [100, (path: string) => path.replace(/rec_\w+/, (id) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`)],
      [size - 1, (path: string) => path.replace(/\d{12}(?=-rec)/, '000000000999')],
      [100, (path: string) => path.replace('receipts/0/', 'receipts/1/')],
      [100, (path: string) => path.replace('receipts/0/000000000/', 'receipts/')],
    ] as const) {
      const folder = copied((into) => {
        const path = files(into)[from] ?? '';
        mkdirSync(dirname(to(path)), { recursive: true });
        renameSync(path, to(path));
        edit(join(into, 'export.json'), (text) =>
          JSON.stringify({ ...(JSON.parse(text) as Manifest), complete: false, unbroken: false }),
        );
      });
      const { exit, value } = await verify(folder);
      expect([exit, value.overall, value.rejected.length]).to.deep.equal([1, 'REJECTED', 1]);
      expect(value.rejected[0]?.why).to.include('it contains the receipt that belongs to receipts/0/');
    }
  }).timeout(60_000);

  it('that calls itself filtered though it is cut is never VERIFIED without a limit', async () => {
    const folder = copied((to) => {
      rmSync(files(to)[100] ?? '');
      edit(join(to, 'export.json'), (text) => {
        const manifest = JSON.parse(text) as Manifest;
        return JSON.stringify({ ...manifest, complete: false, unbroken: false, tiles: false });
      });
    });
    const { value } = await verify(folder);
    expect(value.overall).to.equal('VERIFIED-WITH-LIMITS');
    expect(value.limits.join('\n')).to.match(/orbiset_chain: [^]*completeness: /);
    expect((await fsck(folder)).exit).to.equal(3);
  }).timeout(60_000);

  it('trusts pinned keys alone, not those that it brings', async () => {
    const keys = join(dir.path, 'none.json');
    writeFileSync(keys, '{"keys":[]}');
    const { value } = await verify(whole, { keys });
    expect([value.overall, value.exit, value.verified]).to.deep.equal(['REJECTED', 4, 0]);
  });
});
