import { expect } from 'chai';
import { compilerOrSkip } from './plugins/policy/compiler.ts';
import { runSoak } from './soak/run.ts';

// In full: SOAK_MINUTES=30 node test/soak/main.ts; here a ninetieth of it.
const minutes = process.env['SOAK_MINUTES'] ?? '0.34';

describe('a short soak', function () {
  this.timeout(600_000 + Number(minutes) * 120_000);

  it('holds over a mixed load, a SIGTERM and a kill -9, and prints one table', async function () {
    compilerOrSkip(this);
    const { status, stdout, stderr } = await runSoak({ SOAK_MINUTES: minutes });
    expect(status, `${stderr}\n${stdout}`).to.equal(0);
    expect(stdout).to.match(/\| restarts +\| [1-9]\d* SIGTERM, [1-9]\d* SIGKILL/);
    for (const what of ['policy edits', 'swaps, rollbacks', 'publications', 'receipts verified by the API'])
      expect(stdout, what).to.match(new RegExp(`\\| ${what} +\\| [1-9]`));
    for (const what of [
      'faults seen by the load',
      'runs acknowledged, all listed',
      'runs listed, each with a receipt',
      'e-mails acknowledged, all accepted',
      'deliveries acknowledged, all stored',
      'receipts verified by the command',
      'orb log fsck',
      'orb ledger replay',
    ])
      expect(stdout, what).to.match(new RegExp(`\\| ${what} .*\\| yes +\\|`));
    if (process.platform === 'linux') expect(stdout).to.match(/life 1 .*: RSS +\| .* MB\/h/);
    expect(stdout).not.to.contain('| NO');
  });
});
