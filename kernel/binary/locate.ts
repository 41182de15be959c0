// Runs before any other module of the executable: the others read the location of their files from here.
import '../cli/working-dir.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateDirOf } from '../config/state-dir.ts';
import { commandWords, environmentOf } from '../cli/global-options.ts';
import { unpackedUnder, type Unpacked } from './unpacked.ts';

const argv = process.argv.slice(2);
const [command = '', second = ''] = commandWords(argv);
// These need the files and keep none: what root creates in a state dir would be closed to the server's user.
const looks =
  ['demo', 'doctor', 'init', 'store'].includes(command) ||
  ['config check', 'orbs sign'].includes(`${command} ${second}`);
// Commands that only talk to a server, or verify a file, need none of the files.
const works = new Set(['serve', 'backup', 'restore', 'new', 'provider']).has(command);

const standing = unpackedUnder(stateDirOf(environmentOf(argv, process.env), process.cwd()));
const unpacked = looks && !standing.isWhole() ? passing() : standing;

Object.assign(globalThis, { orbPackage: unpacked });

if (looks || works) unpacked.ensure();

/** Creates a folder that is removed when the command ends. */
function passing(): Unpacked {
  const dir = mkdtempSync(join(tmpdir(), 'orb-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  // By default these signals end the process without the event `exit`. A demonstration ends itself.
  const codes = command === 'demo' ? {} : { SIGINT: 130, SIGTERM: 143 };
  for (const [signal, code] of Object.entries(codes)) process.once(signal, () => process.exit(code));
  return unpackedUnder(dir);
}
