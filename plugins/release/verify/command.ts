import { existsSync } from 'node:fs';
import { defineCommand, given } from '../../../kernel/index.ts';
import { readKnownLogs } from '../../receipts/contract.ts';
import { optionsOf, painted, Shown } from '../../terminal/contract.ts';
import type { ReleaseReport } from './release.ts';

/** `orb verify-release FILE…`: verifies files of a release offline; needs no server and no state. */
export const verifyReleaseCommand = defineCommand({
  path: 'verify-release',
  summary: 'verify files of a release, or its whole folder, against its signed statement',
  args: [{ name: 'files...', description: 'files of one release, or its folder: then each file in it must be known' }],
  options: optionsOf({
    '--key <key>':
      'the release key to trust: a vkey, a file of public keys (PEM) or a trust file (tlog-policy); default: the keys that the program holds',
    '--statement <file>': 'the signed statement (default: release.json next to the first file)',
    '--proof <file>': 'its proof of the release log (default: release.tlog-proof next to the statement)',
    '--log <folder>': 'files of the release log (default: the folder log next to that of the release)',
  }),
  async run(call) {
    const { readTrusted, unsignedRelease, verifyRelease } = await import('./release.ts');
    const { key, log, proof, statement } = call.options as Readonly<Record<string, string | undefined>>;
    const paths = call.args.flat().filter((path) => path !== undefined);
    const files = { paths, ...given({ log, proof, statement }) };
    const say = ({ tree: _, ...report }: ReleaseReport): number => {
      call.print(report, show(report).on(call.screen));
      return report.exit;
    };
    const signers = await readTrusted(key);
    if (signers === undefined) {
      const unsigned = key === undefined ? await unsignedRelease(files) : undefined;
      if (unsigned !== undefined) return say(unsigned);
      call.note(key === undefined ? noKey : `--key ${key} is no Ed25519 key of the release log`);
      return 4;
    }
    const known = await readKnownLogs(call, signers);
    const report = await verifyRelease(files, { signers, seen: known.seen });
    const { exit, tree } = report;
    // Who has no server verifies without a memory.
    if (tree !== undefined && exit === 0 && existsSync(call.stateDir)) await known.remember([tree]);
    return say(report);
  },
});

const noKey =
  'this version of the program holds no release key, so nothing was verified: name a key that you trust with --key (a vkey, a PEM file or a trust file)';

/** Writes a report for a terminal. */
function show({ checks, files, hint, limits, overall, release }: Omit<ReleaseReport, 'tree'>): Shown {
  return new Shown((screen) => {
    const verdict = (name: string, result: string, detail?: string): string =>
      `${painted(result, screen, result === 'pass' ? 'pass' : 'FAIL')} ${plain(detail === undefined ? name : `${name}: ${detail}`)}`;
    const failed = checks.filter(({ result }) => result !== 'pass');
    return [
      ...failed.map(({ detail, name, result }) => verdict(name, result, detail)),
      ...files.map(({ detail, name, result }) => verdict(name, result, detail)),
      ...(hint === undefined ? [] : [plain(hint)]),
      ...limits.map(plain),
      ...(release === undefined ? [] : [`version ${plain(release.version)}, commit ${release.commit}`]),
      painted(overall, screen),
    ].join('\n');
  });
}

/** Removes control characters, which a terminal would execute: names of files are untrusted. */
function plain(value: string): string {
  return value.replace(/\p{C}/gu, '?');
}
