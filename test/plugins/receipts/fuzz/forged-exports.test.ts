import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { readManifest } from '../../../../plugins/receipts/export/folder.ts';
import { verifyFolder } from '../../../../plugins/receipts/export/verify-folder.ts';
import type { Checkpoint } from '../../../../plugins/receipts/log/pure/note.ts';
import { checkExport } from '../../../../plugins/receipts/fsck/export-source.ts';
import { readTrust, type Trust } from '../../../../plugins/receipts/verifier/trust.ts';
import { runCommand, shippedCommand, shippedFacts } from '../../../helpers/command.ts';
import { extracted } from '../export/extracted.ts';
import { freshReceipts } from '../fresh.ts';
import { temporaryDir } from '../harness.ts';
import { activeKey } from '../key-changes.ts';
import { revoke, rotate } from '../signing-keys.ts';
import { edited, meaningOf, mutants, pick, seed, seeded, type Random } from './forge.ts';

describe('forged exports, of several shards, with a revoked key, and of a restored store', function () {
  this.timeout(1_200_000);
  const receipts = freshReceipts('describe');
  const dir = temporaryDir();
  after(() => dir.remove());
  let honest: { readonly folder: string; readonly trust: Trust; readonly revoked: number }[];

  const pinned = (): Trust =>
    ({ ...readTrust(readFileSync(receipts.path('jwks.json'), 'utf8')), facts: shippedFacts }) as Trust;
  before(async () => {
    await receipts.attestRuns(4);
    const kid = await activeKey(receipts, 'receipt');
    await rotate(receipts, 'certificate');
    await rotate(receipts, 'log');
    const runs = await receipts.attestRuns(5, 'other');
    const rotated = { folder: await extracted(receipts, dir.path, { tiles: true }), trust: pinned(), revoked: 0 };
    const { proof } = await receipts.read(runs[2]?.receipt_id ?? '');
    await revoke(receipts, kid, 'stolen', { origin: proof?.origin, index: proof?.index });
    await receipts.restart('another');
    await receipts.attestRuns(3);
    const again = { folder: await extracted(receipts, dir.path, { tiles: true }), trust: pinned(), revoked: 3 };
    const copy = join(dir.path, 'backup');
    const [state, options] = [receipts.path('.'), { replace: true }];
    expect(await runCommand(shippedCommand('backup'), state, [copy])).to.have.property('exit', 0);
    const lost = await receipts.attestRuns(2);
    await receipts.stop();
    await runCommand(shippedCommand('restore'), state, [copy], { options });
    await receipts.start();
    await receipts.attestRuns(4);
    const restored = { folder: await extracted(receipts, dir.path, { tiles: true }), trust: pinned(), revoked: 3 };
    const shards = readdirSync(join(restored.folder, 'log'));
    expect(shards.filter((name) => /-[0-9a-f]{8}$/.test(name))).to.have.lengthOf(2);
    const ids = below(restored.folder, 'receipts').map((path) => basename(path, '.json'));
    expect(lost.filter(({ receipt_id: id }) => ids.includes(id))).to.deep.equal([]);
    honest = [rotated, again, restored];
  });

  /** Whether a folder passes both commands with everything that an auditor can ask of them. */
  const passes = async (folder: string, trust: Trust, seen: readonly Checkpoint[] = []): Promise<boolean> => {
    try {
      const { checks, exit } = await verifyFolder(folder, trust, { verifySignature, allowRevoked: true });
      const manifest = await readManifest(folder);
      if (manifest === undefined) return false;
      const keys = trust.policy?.logs ?? [];
      const known = {
        keys,
        seen: (origin: string) => seen.filter((tree) => tree.origin === origin),
        progress: () => () => undefined,
      };
      const expected = { pinned: keys.map(({ name }) => name), remembered: [] };
      const reports = await checkExport({ folder, manifest }, { ...known, trust, expected });
      const sound = reports.every(({ flaws }) => flaws.length === 0);
      return exit === 0 && sound && checks.every(({ result }) => result === 'pass');
    } catch {
      return false;
    }
  };

  it('are made of honest ones, which pass after rotations, a revocation, another node and a restore', async () => {
    const seen: Checkpoint[] = [];
    for (const { folder, revoked, trust } of honest) {
      expect(await passes(folder, trust)).to.equal(true);
      expect(await passes(folder, trust, seen)).to.equal(true);
      const report = await verifyFolder(folder, trust, { verifySignature });
      expect([report.overall, report.revoked]).to.deep.equal(revoked === 0 ? ['VERIFIED', 0] : ['REJECTED', 3]);
      const allowed = await verifyFolder(folder, trust, { verifySignature, allowRevoked: true });
      expect(allowed.overall).to.equal(revoked === 0 ? 'VERIFIED' : 'VERIFIED-WITH-LIMITS');
      expect(allowed.consistent).not.to.have.lengthOf(0);
      seen.push(...allowed.consistent);
    }
  });

  const below = (folder: string, part: string): string[] =>
    (readdirSync(join(folder, part), { recursive: true }) as string[])
      .map((name) => join(part, name))
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort();
  const swap = (one: string, other: string): void => {
    renameSync(one, `${other}.aside`);
    renameSync(other, one);
    renameSync(`${other}.aside`, other);
  };
  /** What of a folder is checked, by path: the meaning of receipts, the bytes of logs. */
  const contentOf = (folder: string): Map<string, string> => {
    const paths = ['receipts', 'log'].flatMap((part) => (existsSync(join(folder, part)) ? below(folder, part) : []));
    return new Map(
      paths.map((path) => {
        const text = readFileSync(join(folder, path), path.startsWith('log') ? 'latin1' : 'utf8');
        return [path, path.startsWith('log') ? text : String(meaningOf(text))];
      }),
    );
  };
  // A file of a log that no name leads to is never read.
  const isSame = (whole: Map<string, string>, mutant: Map<string, string>): boolean =>
    [...whole].every(([path, content]) => mutant.get(path) === content) &&
    [...mutant.keys()].every((path) => whole.has(path) || path.startsWith('log'));

  /** Swaps, drops, copies, renames or edits a part of a folder. */
  const forge = (folder: string, random: Random): string => {
    const part = pick(['receipts', 'log'], random);
    const files = below(folder, part);
    const [one, other] = [pick(files, random), pick(files, random)].map((path) => join(folder, path)) as [
      string,
      string,
    ];
    const shards = readdirSync(join(folder, part)).map((name) => join(folder, part, name));
    const [foreign, foreignPart] = [pick(honest, random).folder, pick(['receipts', 'log'], random)];
    const [shard, another] = [pick(shards, random), pick(shards, random)];
    const acts: Readonly<Record<string, () => unknown>> = {
      'drop a file': () => rmSync(one),
      'copy a file over another': () => one !== other && cpSync(one, other),
      'swap two files': () => one !== other && swap(one, other),
      'rename a file': () => renameSync(one, join(dirname(other), `9${basename(one)}`)),
      'copy a file beside': () => cpSync(one, join(dirname(one), `ZZ${basename(one)}`)),
      'edit a file': () => writeFileSync(one, edited(readFileSync(one, 'latin1'), random), 'latin1'),
      'drop a shard': () => rmSync(shard, { recursive: true }),
      'swap two shards': () => shard !== another && swap(shard, another),
      'copy a shard over another': () => {
        if (shard === another) return;
        rmSync(another, { recursive: true });
        cpSync(shard, another, { recursive: true });
      },
      'add a shard': () => basename(shard) !== '9' && cpSync(shard, join(folder, part, '9'), { recursive: true }),
      'take a part of another export': () => {
        rmSync(join(folder, foreignPart), { recursive: true });
        cpSync(join(foreign, foreignPart), join(folder, foreignPart), { recursive: true });
      },
      'take a shard of another export': () => {
        const name = basename(shard);
        if (!existsSync(join(foreign, part, name))) return;
        rmSync(shard, { recursive: true });
        cpSync(join(foreign, part, name), shard, { recursive: true });
      },
      'move a receipt out of the logs': () => {
        mkdirSync(join(folder, 'receipts/extra'), { recursive: true });
        const copy = join(folder, 'receipts/extra', 'copy.json');
        if (one !== copy) cpSync(one, copy);
      },
    };
    const name = pick(Object.keys(acts), random);
    acts[name]?.();
    return `${name}: ${one} ${other} ${shard} ${another}`;
  };
  /** Edits what the manifest claims, in hope that less is checked. */
  const claim = (folder: string, random: Random): void => {
    const path = join(folder, 'export.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { logs: { shard: string; origin: string }[] };
    const [first, ...rest] = manifest.logs;
    const changes: readonly object[] = [
      ...[{}, {}, { complete: false }, { complete: false, unbroken: false }, { tiles: false }, { logs: rest }],
      ...[{ logs: [...rest, first] }, { logs: [first] }],
      { complete: false, logs: manifest.logs.map((log) => ({ ...log, origin: first?.origin })) },
    ];
    writeFileSync(path, JSON.stringify({ ...manifest, ...pick(changes, random) }));
  };

  const count = mutants(0.2, 25);
  it(`never pass: ${count} mutants`, async () => {
    const random = seeded(seed);
    const contents = honest.map(({ folder }) => contentOf(folder));
    const folder = join(dir.path, 'mutant');
    for (let at = 0; at < count; at++) {
      const which = random(honest.length);
      const { folder: whole, trust } = honest[which] ?? expect.fail();
      rmSync(folder, { recursive: true, force: true });
      cpSync(whole, folder, { recursive: true });
      claim(folder, random);
      const acts = Array.from({ length: 1 + random(2) }, () => forge(folder, random));
      if (isSame(contents[which] ?? new Map(), contentOf(folder))) continue;
      const finding = `seed ${seed}, mutant ${at}: ${acts.join('; ')} ${readFileSync(join(folder, 'export.json'), 'utf8')}`;
      expect(await passes(folder, trust), finding).to.equal(false);
    }
  });
});
