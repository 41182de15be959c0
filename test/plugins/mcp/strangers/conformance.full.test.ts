import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { packageDir } from '../../../helpers/folder.ts';
import { startConformanceServer, type ConformanceServer } from './conformance-server.ts';

const suite = join(packageDir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Scenarios that must pass, whatever else is expected to fail. */
const wanted = {
  '2026-07-28': [
    ...['tools-list', 'tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-error'],
    ...['tools-call-embedded-resource', 'tools-call-mixed-content', 'http-header-validation'],
    ...['dns-rebinding-protection', 'server-sse-multiple-streams', 'sep-2164-resource-not-found'],
    ...['tasks-lifecycle', 'tasks-capability-negotiation', 'tasks-wire-fields', 'tasks-request-state-removal'],
    ...['tasks-request-headers', 'tasks-dispatch-and-envelope', 'tasks-status-notifications'],
  ],
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'tools-call-simple-text', 'tools-call-image', 'tools-call-audio'],
    ...['tools-call-embedded-resource', 'tools-call-mixed-content', 'tools-call-error', 'dns-rebinding-protection'],
  ],
} as const;

describe('the conformance suite of the Model Context Protocol', function () {
  this.timeout(300_000);
  let server: ConformanceServer;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-conformance-'));
    server = await startConformanceServer();
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [revision, scenarios] of Object.entries(wanted))
    it(`finds no fault in ${revision} but what the committed file expects`, async () => {
      const expected = fileURLToPath(new URL(`expected-failures-${revision}.yml`, import.meta.url));
      const args = ['server', '--url', server.url, '--requirements', revision, '--expected-failures', expected];
      const { stdout } = await promisify(execFile)(process.execPath, [suite, ...args, '-o', folder], {
        cwd: folder,
        maxBuffer: 64 * 1024 * 1024,
      }).catch((failed: { stdout: string; stderr: string }) =>
        expect.fail(`${failed.stdout.slice(-4000)}\n${failed.stderr}`),
      );
      for (const scenario of scenarios) expect(stdout).to.match(new RegExp(`✓ ${scenario}:`));
      // Every call of the suite that became a run has its receipt.
      const { body } = await server.bed.platform.call('GET', '/runs?limit=100');
      for (const { receipt_id } of body.runs) expect(receipt_id).to.match(/^rec_/);
    });
});
