import { expect } from 'chai';
import type { Operation } from '../../../../../kernel/index.ts';
import { changedElsewhere } from '../../../../../kernel/store/contract.ts';
import { silentLog } from '../../../../../kernel/tools/log.ts';
import { createIssuer } from '../../../../../plugins/ledger/certificate/issue/issuer.ts';
import { settleCertificates } from '../../../../../plugins/ledger/certificate/issue/keeper.ts';
import type { IssueScope } from '../../../../../plugins/ledger/certificate/issue/scope.ts';
import { listLength } from '../../../../../plugins/ledger/certificate/format/status-list.ts';
import type { NewCertificate } from '../../../../../plugins/ledger/certificate/issue/tables.ts';
import { createTestSigner, origin } from '../signer.ts';
import { begin, initial, orb } from '../world.ts';

const publicUrl = 'https://orb.example';

interface Answers extends Partial<IssueScope['reads'] & Pick<IssueScope['lists'], 'addressOf'>> {
  /** Called before a write is kept. */
  readonly onWrite?: () => void;
}

/** Issues one certificate while the store answers like this; tells what was kept, with its places. */
async function issued(answers: Answers = {}) {
  const signer = createTestSigner();
  const kept: NewCertificate[] = [];
  const head = { origin, tree_size: 100, root_hash: Buffer.alloc(32).toString('base64') };
  const snapshot = {
    ...{ day: '2026-11-20', digest: `sha256:${'a'.repeat(64)}`, logs: [head], profile: 'multi-tenant' as const },
    scoring_policy: { id: 'orb-score/1', digest: `sha256:${'b'.repeat(64)}` },
  };
  const reputation = { ...initial(orb, snapshot), tier: 'gold' as const, tier_rank: 3 };
  const reads = {
    orbs: () => [orb],
    open: () => [[]],
    given: () => 0,
    free: (_: number, [index]: readonly number[]) => index,
    ...answers,
  };
  const scope = {
    store: {
      installation: 'ins_1',
      async write(operations: readonly Operation[]) {
        answers.onWrite?.();
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
    lists: { addressOf: answers.addressOf ?? (() => Promise.resolve(undefined)), changed: () => undefined },
    ...{ clock: { now: () => begin, monotonic: () => 0 }, ids: () => 'crt_01M80000000000000000000000' },
  } as unknown as IssueScope;
  await settleCertificates(scope);
  return kept;
}
/** Issues one certificate while the store refuses so many writes. */
async function refusing(times: number) {
  let written = 0;
  const onWrite = () => {
    written += 1;
    if (written <= times) throw changedElsewhere();
  };
  const kept = await issued({ onWrite });
  return { written, kept };
}

const lists = async (answers: Answers): Promise<readonly unknown[]> => {
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
    const addressOf = (list: number) =>
      Promise.resolve(list <= 2 ? 'https://old.example' : list <= 4 ? publicUrl : undefined);
    expect(await lists({ addressOf })).to.deep.equal([3, 4]);
    expect(await lists({ addressOf, given: (list) => (list === 3 ? listLength : 0) })).to.deep.equal([5, 4]);
  });

  it('are none that was given before', async () => {
    const refused: number[] = [];
    const [certificate] = await issued({
      free(_, [index, ...others]) {
        if (refused.length === 3 || index === undefined) return others[0];
        refused.push(index);
        return undefined;
      },
    });
    expect(refused).to.have.length(3);
    expect(refused).not.to.include(certificate?.entries.revocation.index);
  });

  it('are others when the store refuses them, because another process has just given one', async () => {
    const { written, kept } = await refusing(2);
    expect(written).to.equal(3);
    expect(kept).to.have.length(1);
  });

  it('are tried three times', async () => {
    const { written, kept } = await refusing(3);
    expect(written).to.equal(3);
    expect(kept).to.have.length(0);
  });
});
