import { expect } from 'chai';
import type { Operation } from '../../../../../kernel/index.ts';
import { silentLog } from '../../../../../kernel/tools/log.ts';
import { createIssuer } from '../../../../../plugins/ledger/certificate/issue/issuer.ts';
import { settleCertificates } from '../../../../../plugins/ledger/certificate/issue/keeper.ts';
import type { CertificateScope } from '../../../../../plugins/ledger/certificate/scope.ts';
import { listLength, type Entry } from '../../../../../plugins/ledger/certificate/format/status-list.ts';
import type { NewCertificate } from '../../../../../plugins/ledger/certificate/issue/tables.ts';
import { createTestSigner, origin } from '../signer.ts';
import { begin, initial, orb } from '../world.ts';

const publicUrl = 'https://orb.example';

/** Issues one certificate while the store answers like this; tells what was kept, with its places. */
async function issued(answers: Partial<CertificateScope['reads'] & Pick<CertificateScope['lists'], 'addressOf'>> = {}) {
  const signer = createTestSigner();
  const kept: NewCertificate[] = [];
  const head = { origin, tree_size: 100, root_hash: Buffer.alloc(32).toString('base64') };
  const snapshot = {
    ...{ day: '2026-11-20', digest: `sha256:${'a'.repeat(64)}`, logs: [head], profile: 'multi-tenant' as const },
    scoring_policy: { id: 'orb-score/1', digest: `sha256:${'b'.repeat(64)}` },
  };
  const reputation = { ...initial(orb, snapshot), tier: 'gold' as const, tier_rank: 3 };
  const reads = { orbs: () => [orb], open: () => [], given: () => 0, isGiven: () => false, ...answers };
  const scope = {
    store: {
      installation: 'ins_1',
      write: (operations: readonly Operation[]) => {
        kept.push(...operations.map(({ args }) => args as NewCertificate));
        return Promise.resolve([null]);
      },
    },
    reads,
    reputation: {
      get: () => reputation,
      listing: () => undefined,
      manifest: () => ({ orb_id: orb, digest: `sha256:${'c'.repeat(64)}`, signed: true }),
      namespace: () => undefined,
      orbs: () => [orb],
      settled: () => Promise.resolve(),
    },
    ...{ signer, issuer: createIssuer(publicUrl, signer), head: () => head, publicUrl, days: 30, log: silentLog },
    lists: { addressOf: answers.addressOf ?? (() => undefined), changed: () => undefined },
    ...{ clock: { now: () => begin, monotonic: () => 0 }, ids: () => 'crt_01M80000000000000000000000' },
  } as unknown as CertificateScope;
  await settleCertificates(scope);
  return kept;
}
const lists = async (answers: Parameters<typeof issued>[0]): Promise<readonly unknown[]> => {
  const [certificate] = await issued(answers);
  return [certificate?.entries.revocation.list, certificate?.entries.suspension.list];
};

describe('the places of a certificate in the lists', () => {
  it('are in the first two lists until one of a purpose is half full, then in the next of that purpose', async () => {
    const half = listLength / 2;
    expect(await lists({ given: () => half - 1 })).to.deep.equal([1, 2]);
    expect(await lists({ given: (list) => (list === 1 ? half : 0) })).to.deep.equal([3, 2]);
    expect(await lists({ given: (list) => (list <= 4 ? half : 0) })).to.deep.equal([5, 6]);
  });

  it('are in no list of another address', async () => {
    const addressOf = (list: number) => (list <= 2 ? 'https://old.example' : list <= 4 ? publicUrl : undefined);
    expect(await lists({ addressOf })).to.deep.equal([3, 4]);
    expect(await lists({ addressOf, given: (list) => (list === 3 ? listLength : 0) })).to.deep.equal([5, 4]);
  });

  it('are none that was given before', async () => {
    const refused: Entry[] = [];
    const [certificate] = await issued({
      isGiven: (entry) => {
        const again = refused.length < 3;
        if (again) refused.push(entry);
        return again;
      },
    });
    expect(refused).to.have.length(3);
    expect(refused).not.to.deep.include(certificate?.entries.revocation);
  });
});
