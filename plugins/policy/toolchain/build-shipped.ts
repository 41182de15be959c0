import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '../evaluator/pool.ts';
import { gate } from '../folder/gate.ts';
import { readFolder } from '../folder/read.ts';
import { shippedFolder, shippedPolicies, writeShipped } from '../shipped.ts';
import { buildRevision } from './build.ts';
import { createCompiler } from './compiler.ts';
import { findCompiler } from './locate.ts';

// `npm run build:policies`: compiles the shipped policies, so that they work without a compiler.
const scratch = mkdtempSync(join(tmpdir(), 'orb-policies-'));
const path = findCompiler(undefined, scratch);
if (path === undefined || !existsSync(path)) throw new Error('run npm run build:compiler first');
const compiler = createCompiler(path);
const pool = createPool({ threads: 1, deadlineMs: 1000, queue: { all: 10, each: 10 } });
// An operator of this checkout may have put policies there, which do not ship.
const listed = shippedPolicies.digests();
const { files } = await readFolder(shippedFolder);
for (const { path } of files.filter((file) => !listed.has(file.path)))
  process.stderr.write(`skipped policies/${path}: data/shipped.json does not list it\n`);
const shipped = files.filter(({ path }) => listed.has(path));
const built = await buildRevision(compiler, pool, gate(shipped));
await compiler.stop();
await pool.stop();
rmSync(scratch, { recursive: true });
if (built.revision === undefined) {
  process.stderr.write(`${JSON.stringify(built.diagnostics, null, 2)}\n`);
  process.exitCode = 1;
} else {
  writeShipped(built.revision, (file, content) => writeFileSync(file, content));
  process.stdout.write(`${built.revision.digest}\n`);
}
