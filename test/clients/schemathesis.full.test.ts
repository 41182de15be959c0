import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform } from '../helpers/platform.ts';
import { pythonCommand, runPython } from '../helpers/python.ts';
import { need } from '../helpers/needs.ts';

// In full: 40 random requests per operation beside the systematic ones.
const full = process.env['API_SOAK'] === '1';
const examples = full ? 40 : 2;

const checks = [
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

describe('every answer of the platform', () => {
  it(`is declared in the OpenAPI document, and none is a defect (${examples} examples per operation)`, async function () {
    need(this, 'python');
    const defects: string[] = [];
    const onLog = (line: string): void => void (line.includes('a request failed unexpectedly') && defects.push(line));
    const platform = await startPlatform({ onLog });
    const folder = await mkdtemp(join(tmpdir(), 'orb-schemathesis-'));
    try {
      const { body } = await platform.call('GET', '/openapi.json', undefined, null);
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(body));
      const told = await runPython(
        [
          ...[pythonCommand('schemathesis'), 'run', 'openapi.json', '--url', platform.url],
          ...['--header', `Authorization: Bearer ${platform.adminKey}`, '--checks', checks.join(',')],
          ...['--phases', full ? 'examples,coverage,fuzzing' : 'examples,fuzzing', '--seed', '1'],
          ...['--max-examples', String(examples), '--suppress-health-check', 'all', '--generation-database', 'none'],
          ...['--continue-on-failure', '--no-color'],
        ],
        { cwd: folder },
      );
      expect(told).to.match(/Tested: \d{3}/);
      expect(defects.slice(0, 5)).to.deep.equal([]);
    } finally {
      await platform.stop();
      await rm(folder, { recursive: true });
    }
  }).timeout(full ? 3_600_000 : 300_000);
});
