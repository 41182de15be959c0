import { copyFileSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import { newestSeen, readSeen } from '../../../../plugins/receipts/verifier/trust-store/seen-file.ts';
import { freshReceipts } from '../fresh.ts';
import { temporaryDir } from '../harness.ts';
import { rotate } from '../signing-keys.ts';
import { extracted } from '../export/extracted.ts';
import { runCommand } from '../../../helpers/command.ts';
import { logFile, mirror, pathsOf, serveLog, type ServedLog } from './log-files.ts';

interface Result {
  readonly exit: number;
  readonly logs: readonly { readonly origin: string; readonly size?: number; readonly flaws: readonly object[] }[];
  readonly flaws: readonly { readonly exit: number; readonly where: string; readonly what: string }[];
}

describe('orb log fsck of a log in several shards', function () {
  this.timeout(60_000);
  const receipts = freshReceipts('describe');
  let served: ServedLog;
  let auditor: ReturnType<typeof temporaryDir>;

  before(async () => {
    await receipts.attestRuns(5);
    await rotate(receipts, 'log');
    await receipts.attestRuns(4);
    served = await serveLog(receipts);
  });
  after(() => served.close());
  beforeEach(() => {
    served.change = (_, body) => body;
    auditor = temporaryDir();
    copyFileSync(receipts.path('jwks.json'), join(auditor.path, 'jwks.json'));
  });
  afterEach(() => auditor.remove());

  const fsck = async (args: string[], options: CommandCall['options'] = {}, stateDir = auditor.path) => {
    const { exit, text, value } = await runCommand<Result>(fsckCommand, stateDir, args, { options });
    const missing = value.flaws.filter((flaw) => flaw.exit === 5).map(({ what }) => what);
    return { exit, text, missing, logs: value.logs.map(({ flaws, origin }) => [origin.slice(-2), flaws.length]) };
  };
  const whole = [
    ['/0', 0],
    ['/1', 0],
  ];
  const without = (shard: string) => (path: string, body: Buffer) => (path.startsWith(`${shard}/`) ? undefined : body);
  /** A trust file with the key of one shard alone. */
  const pinning = (shard: string): string => {
    const path = join(auditor.path, `keys-${shard}.json`);
    const { keys } = JSON.parse(readFileSync(receipts.path('jwks.json'), 'utf8')) as { keys: { origin?: string }[] };
    writeFileSync(path, JSON.stringify({ keys: keys.filter(({ origin }) => origin?.endsWith(`/${shard}`) ?? true) }));
    return path;
  };

  it('walks and reports every shard of an address, and remembers each', async () => {
    const { exit, logs, text } = await fsck([served.url]);
    expect([exit, logs]).to.deep.equal([0, whole]);
    expect(text).to.match(/receipts\/0, \d+ entries: OK\n.*receipts\/1, \d+ entries: OK$/);
    const seen = await readSeen(auditor.path);
    for (const origin of seen.keys()) expect(newestSeen(seen, origin), origin).to.not.equal(undefined);
    expect(seen.size).to.equal(2);
  });

  it('finds what is wrong in a shard that is frozen', async () => {
    served.change = (path, body) => (path.startsWith('0/tile/entries') ? Buffer.from(body.fill(1, 60, 61)) : body);
    const { exit, logs } = await fsck([served.url]);
    expect([exit, logs[0]?.[0], logs[1]]).to.deep.equal([1, '/0', ['/1', 0]]);
    expect(logs[0]?.[1]).to.not.equal(0);
    const seen = await readSeen(auditor.path);
    expect(
      [...seen.keys()].map((origin) => origin.slice(-2)),
      'remembers the other alone',
    ).to.deep.equal(['/1']);
  });

  it('names a tile that is cut short', async () => {
    served.change = (path, body) => (path.startsWith('0/tile/0/') ? body.subarray(0, body.length - 16) : body);
    const { exit, logs, text } = await fsck([served.url]);
    expect([exit, logs[0]?.[0], logs[1]]).to.deep.equal([1, '/0', ['/1', 0]]);
    expect(text).to.match(/holds \d+ bytes instead of \d+/);
  });

  it('misses a shard that is published, though its key is not pinned', async () => {
    served.change = without('0');
    const { exit, missing } = await fsck([served.url], { keys: pinning('1') });
    expect([exit, missing]).to.deep.equal([5, ['is missing, though the log is published']]);
  });

  it('misses a shard whose key is pinned, though nobody publishes it', async () => {
    served.change = (path, body) => (path === 'policy' ? undefined : without('0')(path, body));
    const { exit, missing } = await fsck([served.url]);
    expect([exit, missing]).to.deep.equal([5, ['is missing, though the log is pinned']]);
  });

  it('misses a shard that is remembered, though it is neither published nor pinned', async () => {
    await fsck([served.url]);
    served.change = (path, body) => (path === 'policy' ? undefined : without('0')(path, body));
    const { exit, missing } = await fsck([served.url], { keys: pinning('1') });
    expect([exit, missing]).to.deep.equal([5, ['is missing, though the log is remembered']]);
  });

  it('misses a shard in whose place another is shown', async () => {
    served.change = (path, body) =>
      path === '0/checkpoint' ? Buffer.from(body.toString().replaceAll('receipts/0', 'receipts/1')) : body;
    expect((await fsck([served.url])).exit).to.equal(5);
  });

  it('asks for no shard of another installation, though its key is pinned', async () => {
    const path = join(auditor.path, 'jwks.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('.orb/receipts/0"', '.orb/other/0"'));
    const { exit, logs } = await fsck([served.url]);
    expect([exit, logs.map(([shard]) => shard)]).to.deep.equal([3, ['/0', '/1']]);
  });

  it('misses a shard at whose address another one answers the second question', async () => {
    let asked = 0;
    const first = String(await logFile(receipts, '0/checkpoint'));
    served.change = (path, body) => {
      const [shard, ...rest] = path.split('/');
      if (shard !== '1' || rest.length === 0) return body;
      asked += 1;
      return asked === 1 ? body : Buffer.from(copies.get(rest.join('/')) ?? first);
    };
    const copies = new Map<string, Uint8Array | string>();
    for (const path of pathsOf(Number(first.split('\n')[1]))) copies.set(path, await logFile(receipts, `0/${path}`));
    const { exit, missing } = await fsck([`${served.url}/0`]);
    expect([exit, missing]).to.deep.equal([5, ['is missing, though the log is pinned']]);
  });

  it('finds the other shards beside the address of one, too', async () => {
    for (const url of [`${served.url}/0`, `${served.url}/1/`])
      expect((await fsck([url])).logs, url).to.deep.equal(whole);
  });

  it('walks a folder with the files of a log, and misses a shard that was taken out', async () => {
    const folder = join(auditor.path, 'mirror');
    await mirror(receipts, folder);
    const { exit, logs } = await fsck([folder]);
    expect([exit, logs]).to.deep.equal([0, whole]);
    rmSync(join(folder, '0'), { recursive: true });
    expect((await fsck([folder])).exit).to.equal(5);
  });

  it('walks an export, and misses a shard that was taken out of it', async () => {
    const folder = await extracted(receipts, auditor.path);
    const { exit, logs } = await fsck([folder]);
    expect([exit, logs]).to.deep.equal([0, whole]);
    const path = join(folder, 'export.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { logs: object[] };
    writeFileSync(path, JSON.stringify({ ...manifest, logs: manifest.logs.slice(1) }));
    const cut = await fsck([folder]);
    expect([cut.exit, cut.missing]).to.deep.equal([5, ['is missing, though the log is remembered']]);
  });

  /** Edits the manifest of an export. */
  const claim = (folder: string, change: (manifest: { logs: { shard: string }[] }) => object): void => {
    const path = join(folder, 'export.json');
    writeFileSync(
      path,
      JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as { logs: { shard: string }[] })),
    );
  };
  const swapped = (folder: string, part: string): void => {
    const [one, two, aside] = ['0', '1', 'aside'].map((name) => join(folder, part, name));
    for (const [from, to] of [
      [one, aside],
      [two, one],
      [aside, two],
    ])
      renameSync(from ?? '', to ?? '');
  };
  const incomplete = { complete: false, unbroken: false };
  const forgeries: readonly (readonly [name: string, exit: number, forge: (folder: string) => void])[] = [
    [
      'a pinned shard is a copy of another',
      1,
      (folder) => {
        for (const part of ['log', 'receipts']) rmSync(join(folder, part, '1'), { recursive: true });
        cpSync(join(folder, 'log/0'), join(folder, 'log/1'), { recursive: true });
        claim(folder, (manifest) => ({ ...manifest, ...incomplete }));
      },
    ],
    [
      'a remembered shard is a copy of another, under the name of that one',
      1,
      (folder) => {
        for (const part of ['log', 'receipts']) rmSync(join(folder, part, '1'), { recursive: true });
        cpSync(join(folder, 'log/0'), join(folder, 'log/1'), { recursive: true });
        claim(folder, ({ logs: [first], ...manifest }) => ({
          ...{ ...manifest, ...incomplete },
          logs: [first, { ...first, shard: '1' }],
        }));
      },
    ],
    ['two shards are swapped', 1, (folder) => ['log', 'receipts'].forEach((part) => swapped(folder, part))],
    ['the logs of two shards are swapped', 1, (folder) => swapped(folder, 'log')],
    ['the receipts of two shards are swapped', 1, (folder) => swapped(folder, 'receipts')],
    [
      'a shard has another number',
      1,
      (folder) => {
        for (const part of ['log', 'receipts']) renameSync(join(folder, part, '1'), join(folder, part, '7'));
        claim(folder, ({ logs: [first, second], ...manifest }) => ({
          ...manifest,
          logs: [first, { ...second, shard: '7' }],
        }));
      },
    ],
    [
      'the manifest lists a shard twice',
      3,
      (folder) => claim(folder, ({ logs: [first], ...manifest }) => ({ ...manifest, logs: [first, first] })),
    ],
  ];
  for (const [name, expected, forge] of forgeries)
    it(`finds in an export that ${name}`, async () => {
      const folder = await extracted(receipts, auditor.path, { tiles: true });
      expect((await fsck([folder])).exit).to.equal(0);
      forge(folder);
      const { exit, missing } = await fsck([folder]);
      expect(exit).to.equal(expected);
      if (name.includes('copy')) expect(missing).to.deep.equal(['is missing, though the log is remembered']);
    });

  it('walks a store, and misses a shard that is no longer in it', async () => {
    await receipts.stop();
    try {
      const { exit, logs } = await fsck([], {}, receipts.stateDir);
      expect([exit, logs]).to.deep.equal([0, whole]);
      const copy = temporaryDir();
      for (const name of ['store.db', 'jwks.json']) copyFileSync(receipts.path(name), join(copy.path, name));
      receipts.edit("UPDATE receipts_logs SET shard = '7', origin = replace(origin, '/0', '/7') WHERE shard = '0'");
      const lost = await fsck([], {}, receipts.stateDir);
      copyFileSync(join(copy.path, 'store.db'), receipts.path('store.db'));
      copy.remove();
      expect(lost.missing.filter((what) => what.includes('missing'))).to.deep.equal([
        'is missing, though the log is remembered',
      ]);
    } finally {
      await receipts.start();
    }
  });
});
