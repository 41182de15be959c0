import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { measureSetup } from '../../kernel/setup-metrics.ts';
import { createMetrics } from '../../kernel/tools/metrics.ts';

describe('what is measured of the setup', () => {
  let stateDir: string;
  beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'orb-'))));
  afterEach(() => rmSync(stateDir, { recursive: true, force: true }));
  const shown = async (address?: object): Promise<readonly string[]> => {
    const metrics = createMetrics();
    measureSetup({ metrics, stateDir }, { place: { address }, warnings: ['one', 'two'] } as never);
    return (await metrics.show()).text.split('\n').filter((line) => /^orb_(configuration|store)_/.test(line));
  };

  it('is the number of warnings, and the size of the log of the store, which may not be there yet', async () => {
    expect(await shown()).to.deep.equal(['orb_configuration_warnings 2', 'orb_store_log_bytes 0']);
    writeFileSync(join(stateDir, 'store.db-wal'), 'four');
    expect(await shown()).to.deep.equal(['orb_configuration_warnings 2', 'orb_store_log_bytes 4']);
  });

  it('is no log where the store is a database', async () => {
    expect(await shown({ shown: 'postgres://db/orb' })).to.deep.equal(['orb_configuration_warnings 2']);
  });
});
