import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../kernel/config/config.ts';
import type { Environment } from '../../../kernel/config/state-dir.ts';

describe('the settings of platform.json', () => {
  let home: string;
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-config-'));
    mkdirSync(join(home, 'data'));
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  it('is closed unless it says otherwise, and its public address ends without a slash', () => {
    const read = (env: Environment = {}) => readConfig({ ORB_HOME: home, ...env }, home, []);
    writeFileSync(join(home, 'data/platform.json'), '{}');
    expect(read()).to.deep.include({ insecureHttp: false, trustProxy: [], authorize: 'policy', publicUrl: undefined });
    expect(read()).to.deep.include({ drainMs: 30_000, swapDrainMs: 30_000, keyLimit: {} });
    expect(read({ ORB_PUBLIC_URL: 'https://orb.example/' }).publicUrl).to.equal('https://orb.example');
    expect(read().listen).to.deep.equal([
      { address: '127.0.0.1:8080', services: ['runtime', 'ledger', 'policy', 'ingest'] },
    ]);
  });
});
