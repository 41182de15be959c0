import { expect } from 'chai';
import type { Fact, Operation } from '../../../../../kernel/index.ts';
import type { IncidentFact } from '../../../../../plugins/ingestion/contract.ts';
import type { Change } from '../../../../../plugins/ingestion/incidents/cluster/plan.ts';
import { attestChange } from '../../../../../plugins/ingestion/incidents/engine/change.ts';
import type { IncidentRecord } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import { at, delivery } from '../store/incidents.ts';

const refs = (count: number) => Array.from({ length: count }, (_, index) => delivery(`dlv_${index}`));
const facts = { state: 'open', severity: 'high', scope: [{ kind: 'provider', id: 'p' }], starts_at: at(0) } as const;
const change = (more: Partial<Change> = {}): Change => ({
  ...{ incident_id: 'inc_1', change: 'opened', facts, deliveries: refs(1), takes: ['inc_9'] },
  shown: { title: 't' } as Change['shown'],
  desired: { kind: 'measured' } as NonNullable<Change['desired']>,
  ...more,
});
const before = {
  kind: 'weak',
  change_number: 4,
  merged_into: 'inc_8',
  deliveries: [delivery('old')],
} as unknown as IncidentRecord;

async function attested(one: Change) {
  const told: unknown[] = [];
  const attests: { readonly fact: IncidentFact; readonly operations: readonly Operation[] }[] = [];
  const platform = {
    async attest({ fact, operations }: Fact<IncidentFact>) {
      const receipt_id = `rec_${attests.length}`;
      attests.push({ fact, operations: operations(receipt_id) });
      return { receipt_id };
    },
  };
  const calls = { tell: (_: unknown, event: unknown) => told.push(event) };
  const along = {
    key: 'k',
    assigned: [{ event_id: 'sig_1', incident_id: 'inc_1' }],
    extra: [{ name: 'extra' } as never],
  };
  const clock = { now: () => Date.parse(at(7)), monotonic: () => 0 };
  const records = await attestChange(one, along, { platform, calls, clock } as never);
  return { records, told, attests };
}

describe('attesting a change', () => {
  it('commits the incident with its receipt, and tells of it', async () => {
    const { records, told, attests } = await attested(change());
    const record = {
      ...{ incident_id: 'inc_1', key: 'k', kind: 'measured', change_number: 1, retracted: false, facts },
      ...{ shown: { title: 't' }, updated_at: at(7), receipt_id: 'rec_0' },
    };
    expect(records).to.deep.equal([{ ...record, deliveries: refs(1) }]);
    expect(attests.map(({ fact }) => fact)).to.deep.equal([
      {
        ...{ kind: 'incident', at: at(7), incident_id: 'inc_1' },
        facts: { change: 'opened', change_number: 1, ...facts, deliveries: refs(1) },
      },
    ]);
    const args = { record, change: 'opened', deliveries: refs(1), takes: ['inc_9'] };
    expect(attests[0]?.operations.map((one) => one.args)).to.deep.equal([
      undefined,
      { ...args, assigned: [{ event_id: 'sig_1', incident_id: 'inc_1' }] },
    ]);
    expect(told).to.deep.equal([
      {
        ...{ incident_id: 'inc_1', change: 'opened', state: 'open', severity: 'high', scope: facts.scope },
        ...{ receipt_id: 'rec_0', at: at(7) },
      },
    ]);
  });

  it('goes on from what is stored', async () => {
    const { records } = await attested(change({ change: 'changed', before }));
    expect(records[0]).to.deep.include({ kind: 'weak', change_number: 5, merged_into: 'inc_8', retracted: false });
    expect(records[0]?.deliveries).to.deep.equal([delivery('old'), ...refs(1)]);
  });

  it('retracts', async () => {
    const { records, attests } = await attested(change({ change: 'retracted', before, deliveries: [] }));
    expect(attests[0]?.fact.facts.change).to.equal('retracted');
    expect(records).to.have.length(1);
    expect(records[0]).to.include({ retracted: true, change_number: 5 });
  });

  it('lists many deliveries in several entries: only the first opens, and only with it commits all else', async () => {
    const { records, attests, told } = await attested(change({ deliveries: refs(101) }));
    expect(
      attests.map(({ fact: { facts: made } }) => [made.change, made.change_number, made.deliveries.length]),
    ).to.deep.equal([
      ['opened', 1, 50],
      ['changed', 2, 50],
      ['changed', 3, 1],
    ]);
    expect(records.map(({ deliveries }) => deliveries.length)).to.deep.equal([50, 100, 101]);
    const along = attests.map(({ operations }) => {
      const { assigned, takes } = operations.at(-1)?.args as {
        assigned: readonly unknown[];
        takes: readonly unknown[];
      };
      return [operations.length, assigned.length, takes.length];
    });
    expect(along).to.deep.equal([
      [2, 1, 1],
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(told).to.have.length(3);
  });

  it('lists no more in one entry than fits, whatever its scope', async () => {
    const sizes = async (subjects: number): Promise<readonly number[]> => {
      const scope = Array.from({ length: subjects }, (_, index) => ({
        kind: 'orb' as const,
        id: `a.b@1.0.${index}`.padEnd(176, '0'),
      }));
      const { attests } = await attested(change({ deliveries: refs(60), facts: { ...facts, scope } }));
      return attests.map(({ fact }) => fact.facts.deliveries.length);
    };
    expect(await sizes(0)).to.deep.equal([50, 10]);
    expect((await sizes(50))[0], '(12 000 - 10 000) / 210').to.equal(9);
    expect(await sizes(70)).to.have.length(60);
  });
});
