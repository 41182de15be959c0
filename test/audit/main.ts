// npm run audit: looks at every package that is installed; exit 0 when all are fit, 1 when one is not.
import { spawnSync } from 'node:child_process';
import { packageDir } from '../helpers/folder.ts';
import { readAdvisories } from './advisories.ts';
import { known } from './known.ts';
import { readAudited } from './read.ts';
import { findFaults, findStale } from './rules.ts';

const audited = readAudited();
const faults = [...findFaults(audited, known), ...findStale(audited, known)];
for (const fault of faults) console.error(fault);
console.log(`packages: ${Object.keys(audited.locked).length} looked at, ${faults.length} faults`);

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: packageDir,
  encoding: 'utf8',
  timeout: 60_000,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const advisories =
  error === undefined ? readAdvisories(stdout) : ({ kind: 'failed', why: `npm audit: ${error.message}` } as const);
if (advisories.kind === 'clean') console.log('advisories: none is high or critical');
else if (advisories.kind === 'found') console.error(`advisories: ${advisories.packages.join(', ')}; see npm audit`);
else console.log(`advisories: ${advisories.kind === 'failed' ? 'failed' : 'left out'}: ${advisories.why}`);

process.exitCode = faults.length > 0 || advisories.kind === 'found' || advisories.kind === 'failed' ? 1 : 0;
