import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedFacts } from '../../../helpers/command.ts';
import { verifyFolder } from '../../../../plugins/receipts/export/verify-folder.ts';
import { heldReceipts, type SampleHeld } from '../held-sample.ts';
import { signedText, vectors, vectorTrust } from '../sample.ts';

const trust = { ...vectorTrust, facts: shippedFacts };

describe('a folder with the receipts of a held run', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-held-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const verified = async (sample: SampleHeld, which: readonly ('run' | 'decisions')[] = ['run', 'decisions']) => {
    const { run, decisions } = heldReceipts(sample);
    const shown = [...(which.includes('decisions') ? decisions : []), ...(which.includes('run') ? [run] : [])];
    for (const [at, receipt] of shown.entries()) writeFileSync(join(folder, `${at}.json`), JSON.stringify(receipt));
    const report = await verifyFolder(folder, trust);
    return { ...report, check: report.checks.find(({ name }) => name === 'approval_matches') };
  };

  it('is compared in one go, whatever order it is in', async () => {
    for (const order of [undefined, ['run', 0] as const]) {
      const { check, exit, rejected } = await verified(order === undefined ? {} : { order: [...order] });
      // In the second log the decision comes after the run, so that its receipt is found later, and does not count.
      expect([check?.result, exit]).to.deep.equal(order === undefined ? ['pass', 0] : ['fail', 1]);
      expect(rejected.map(({ why }) => why).join()).to.include(order === undefined ? '' : 'after the run');
    }
  });

  it('is refused when a decision is about another run', async () => {
    const digest = `sha256:${'1'.repeat(64)}`;
    const { check, exit, overall, rejected } = await verified({ approval: { digest } });
    expect([check?.result, exit, overall]).to.deep.equal(['fail', 1, 'REJECTED']);
    expect(rejected.map(({ why }) => why)).to.have.length(1);
    expect(rejected[0]?.why).to.include('another digest');
  });

  it('says what it could not check when the decisions are not in it', async () => {
    const { check, exit, overall, limits } = await verified({}, ['run']);
    expect([check?.result, exit, overall]).to.deep.equal(['not_checked', 0, 'VERIFIED-WITH-LIMITS']);
    expect(limits.join()).to.include('approval_matches');
  });

  it('has no such verdict when no run was held', async () => {
    writeFileSync(join(folder, '0.json'), signedText(vectors.run_receipt.payload));
    const report = await verifyFolder(folder, trust);
    expect(report.checks.map(({ name }) => name)).not.to.include('approval_matches');
  });
});
