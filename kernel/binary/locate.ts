// Runs before any other module of the executable: they read their own place from here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateDirOf } from '../boot/state-dir.ts';
import { unpackedUnder, type Unpacked } from './unpacked.ts';

const [command = '', second = ''] = process.argv.slice(2);
// What only looks changes nothing: a state dir that root makes by looking would keep the server's user out of it.
const looks = command === 'doctor' || (command === 'config' && second === 'check');
// What only talks to a server, or verifies a file, needs none of the files.
const works = new Set(['serve', 'backup', 'restore', 'new', 'provider']).has(command);

const standing = unpackedUnder(stateDirOf(process.env, process.cwd()));
const unpacked = looks && !standing.isWhole() ? passing() : standing;

Object.assign(globalThis, { orbPackage: unpacked });

if (looks || works) unpacked.ensure();

/** Gives a folder that is gone when the command has ended. */
function passing(): Unpacked {
  const dir = mkdtempSync(join(tmpdir(), 'orb-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  // Of themselves these end the process without the line above.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  return unpackedUnder(dir);
}
