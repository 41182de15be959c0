// Runs before any other module of the executable: they read their own place from here.
import { stateDirOf } from '../state-dir.ts';
import { unpackedUnder } from './unpacked.ts';

const unpacked = unpackedUnder(stateDirOf(process.env, process.cwd()));

Object.assign(globalThis, { orbPackage: unpacked });

// What only talks to a server, or verifies a file, leaves no trace where it runs.
const local = new Set(['serve', 'config', 'doctor', 'backup', 'restore', 'new', 'provider']);
if (local.has(process.argv[2] ?? '')) unpacked.ensure();
