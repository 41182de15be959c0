import { expect } from 'chai';
import type { AccessRequest, Operation, Store } from '../../../../kernel/index.ts';
import type { Decided, Decider } from '../../../../plugins/policy/decide/decider.ts';
import { answering } from '../../../../plugins/policy/decide/record.ts';
import policyStore from '../../../../plugins/policy/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';

const decided: Decided = {
  ...{ cached: false, duration_us: 12, entrypoint: 'orb/system/execute' },
  verdict: { allow: true, policies: ['base'], revision: 'sha256:1', warns: 1, shadow_denies: 0 },
};
const denied: Decided = {
  ...decided,
  verdict: { ...decided.verdict, allow: false, reasons: [{ code: 'not_allowed' }] },
};
const request = (action: string): AccessRequest =>
  ({
    subject: { id: 'prn_1', tenant: 'acme' },
    action: { name: action },
    resource: { id: 'demo.echo@1.0.0' },
    context: {
      ...{ decision_id: 'dec_1', time: '2026-11-20T10:00:00.000Z', client_ip: '127.0.0.1' },
      ...{ inputs: { text: 'private' }, delivery: 'x' },
    },
  }) as unknown as AccessRequest;

function setUp(answer: Decided | Promise<Decided>) {
  const written: Operation[] = [];
  const store = {
    write: (operations: readonly Operation[]) => {
      written.push(...operations.filter(({ name }) => name === 'decide'));
      return Promise.resolve([]);
    },
  } as unknown as Store;
  const decide = answering({ decide: () => answer } as unknown as Decider, store);
  return { written, ask: async (action: string) => decide(request(action)) };
}

describe('the row of a decision', () => {
  it('is committed with the run it decides, and never holds the inputs', async () => {
    const { ask } = setUp(decided);
    const decision = await ask('execute');
    expect(decision).to.include({ decision_id: 'dec_1', allow: true });
    const row = decision.record?.({ run_id: 'run_1', receipt_id: 'rec_1' }) as unknown as { readonly args: object };
    const { record, shared, shared_text, ...head } = row.args as Record<'record' | 'shared' | 'shared_text', string>;
    expect(head).to.deep.equal({
      ...{ decision_id: 'dec_1', tenant: 'acme', at: '2026-11-20T10:00:00.000Z', action: 'execute', allow: true },
      ...{ orb_id: 'demo.echo@1.0.0', principal: 'prn_1', revision: 'sha256:1', run_id: 'run_1', receipt_id: 'rec_1' },
    });
    expect(`${record}${shared_text}`).not.to.contain('private');
    expect(shared).to.match(/^[\w-]{24}$/);
    expect(JSON.parse(record)).to.deep.equal({ cached: false, duration_us: 12, context: { client_ip: '127.0.0.1' } });
    expect(shared_text).not.to.contain('127.0.0.1').and.not.to.contain('2026').and.not.to.contain('dec_1');
  });

  it('is read as it was: what many share and what is its own, each in its place', async () => {
    const { ask } = setUp(decided);
    const { operations, reads } = openInMemory(policyStore);
    const { record } = await ask('execute');
    const row = record?.({ run_id: 'run_1', receipt_id: 'rec_1' }) as unknown as { readonly args: never };
    operations.decide(row.args);
    const whole = JSON.stringify({
      ...{ entrypoint: 'orb/system/execute', cached: false, duration_us: 12, policies: ['base'] },
      ...{ warns: 1, shadow_denies: 0 },
      input: {
        subject: { id: 'prn_1', tenant: 'acme' },
        action: { name: 'execute' },
        resource: { id: 'demo.echo@1.0.0' },
        context: {
          decision_id: 'dec_1',
          ...{ time: '2026-11-20T10:00:00.000Z', client_ip: '127.0.0.1', delivery: 'x' },
        },
      },
    });
    expect(reads.decision('dec_1')?.record).to.equal(whole);
    expect(reads.decisions({ limit: 1 }).items[0]?.record).to.equal(whole);
  });

  for (const [name, answer] of [
    ['at once', denied],
    ['after an evaluation', Promise.resolve(denied)],
  ] as const)
    it(`is written here when a swap or a publish is denied ${name}, for nothing else is committed`, async () => {
      for (const [action, rows] of [
        ['execute', 0],
        ['swap', 1],
        ['publish', 1],
      ] as const) {
        const { ask, written } = setUp(answer);
        expect(await ask(action)).to.deep.include({ allow: false, decision_id: 'dec_1' });
        expect(written, action).to.have.length(rows);
        if (rows === 1) expect(written[0]).to.deep.nested.include({ 'args.run_id': null, 'args.allow': false });
      }
    });

  it('tells of its own question and verdict, though the text of the same caller and Orb is made once', async () => {
    const frozen = ({ subject, action, resource, context }: AccessRequest): AccessRequest => ({
      ...{ subject: Object.freeze(subject), action: Object.freeze(action), resource: Object.freeze(resource), context },
    });
    const first = frozen(request('execute'));
    const questions: readonly (readonly [AccessRequest, Decided])[] = [
      [first, decided],
      [first, decided],
      [first, denied],
      [{ ...first, context: { ...first.context, delivery: 'y' } }, decided],
      [{ ...first, action: Object.freeze({ name: 'swap' }) }, decided],
      [{ ...first, subject: Object.freeze({ ...first.subject, tenant: 'globex' }) }, decided],
      [{ ...first, resource: Object.freeze({ ...first.resource, id: 'other@1.0.0' }) }, decided],
      [first, { ...decided, entrypoint: 'orb/system/publish' }],
    ];
    let at = 0;
    const decider = { decide: () => questions[at]?.[1] } as unknown as Decider;
    const ask = answering(decider, { write: () => new Promise(() => undefined) } as unknown as Store);
    const digests: string[] = [];
    for (; at < questions.length; at++) {
      const [asked, { verdict, entrypoint }] = questions[at] ?? [first, decided];
      const { record } = await ask(asked);
      const { args } = record?.({}) as unknown as { readonly args: { shared: string; shared_text: string } };
      const { policies, reasons, warns, shadow_denies } = verdict;
      const { inputs: _, ...context } = asked.context as Record<string, unknown>;
      const told = { entrypoint, cached: null, duration_us: null, policies, reasons, warns, shadow_denies };
      const common = { ...context, time: null, decision_id: null, client_ip: null };
      const input = { subject: asked.subject, action: asked.action, resource: asked.resource, context: common };
      expect(JSON.parse(args.shared_text)).to.deep.equal(JSON.parse(JSON.stringify({ ...told, input })));
      digests.push(args.shared);
    }
    expect(digests[1]).to.equal(digests[0]);
    expect(new Set(digests).size).to.equal(questions.length - 1);
  });

  it('is not written here when a swap is allowed', async () => {
    const { ask, written } = setUp(decided);
    await ask('swap');
    expect(written).to.deep.equal([]);
  });
});
