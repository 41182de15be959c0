import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';
import { pythonCommand, runPython } from '../helpers/python.ts';
import { need } from '../helpers/needs.ts';

// In full: 40 random requests per operation in addition to the systematic ones.
const full = process.env['API_SOAK'] === '1';

const checks = [
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** Who sends the requests: the headers that name a caller to a platform. */
const callers: Readonly<Record<string, (platform: TestPlatform) => Promise<readonly string[]>>> = {
  'a key of all scopes': async ({ adminKey }) => [`Authorization: Bearer ${adminKey}`],
  'no key': async () => [],
  'a key of one scope': async (platform) => [
    `Authorization: Bearer ${await platform.key({ name: 'weak', scopes: ['orbs:execute:demo.*'] })}`,
  ],
};

// Who may do less is refused, which test/every-route.test.ts shows of each route.
const asked = Object.entries(callers).slice(0, full ? undefined : 1);

describe('every answer of the platform', () => {
  for (const [caller, headersOf] of asked) {
    const examples = full ? 40 : 2;
    it(`is declared in the OpenAPI document, and none is a defect: ${caller} (${examples} examples per operation)`, async function () {
      need(this, 'python');
      const defects: string[] = [];
      const onLog = (line: string): void => {
        if (line.includes('a request failed') || /"status":5\d\d\b/.test(line)) defects.push(line);
      };
      // Each request comes from an address of its own, so no rate limit of an address refuses it.
      const platform = await startPlatform({ onLog, platform: { trust_proxy: ['127.0.0.1/32'] } });
      const folder = await mkdtemp(join(tmpdir(), 'orb-schemathesis-'));
      try {
        const { body } = await platform.call('GET', '/openapi.json', undefined, null);
        await writeFile(join(folder, 'openapi.json'), JSON.stringify(body));
        const told = await runPython(
          [
            ...[pythonCommand('schemathesis'), 'run', 'openapi.json', '--url', platform.url],
            ...(await headersOf(platform)).flatMap((header) => ['--header', header]),
            ...['--checks', checks.join(',')],
            ...['--phases', full ? 'examples,coverage,fuzzing' : 'examples,fuzzing', '--seed', '1'],
            ...['--max-examples', String(examples), '--suppress-health-check', 'all', '--generation-database', 'none'],
            // Its answer has no end.
            ...['--exclude-operation-id', 'streamEvents'],
            ...['--continue-on-failure', '--no-color'],
          ],
          { cwd: folder, env: { SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'addresses.py') } },
        );
        expect(told).to.match(/Tested: \d{3}/);
        expect(defects.slice(0, 5)).to.deep.equal([]);
      } finally {
        await platform.stop();
        await rm(folder, { recursive: true });
      }
    }).timeout(full ? 3_600_000 : 300_000);
  }
});
