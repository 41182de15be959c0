import { expect } from 'chai';
import { createPool, type Pool } from '../../../plugins/policy/evaluator/pool.ts';
import type { Question } from '../../../plugins/policy/evaluator/question.ts';
import { readShipped } from '../../../plugins/policy/shipped.ts';
import { WebAssembly } from '../../../plugins/policy/evaluator/web-assembly.ts';
import { load, question } from './workbench.ts';

const shipped = { ...readShipped(), files: [] };

function asked(scopes: readonly string[], more: Partial<Question> = {}): Question {
  const input = question('execute', ({ subject, context }) => {
    subject['scopes'] = scopes;
    context['revision'] = shipped.digest;
  });
  const frame = { revision: shipped.digest, entrypoint: 'orb/system/execute', time_ns: '1767225600000000000' };
  return { ...frame, input: JSON.stringify(input), principal: 'prn_1', ...more };
}

async function outcomeOf(pool: Pool, one: Question): Promise<string> {
  const answer = await pool.evaluate(one);
  if ('fault' in answer) return answer.fault;
  const [first] = answer.answer as readonly { readonly result: { readonly allow: boolean } }[];
  return first?.result.allow === true ? 'allow' : 'deny';
}

describe('the threads that evaluate', function () {
  this.timeout(120_000);
  let pool: Pool;
  beforeEach(async () => {
    pool = createPool({ threads: 1, deadlineMs: 1000, queue: { all: 100, each: 100 } });
    await load(pool, shipped);
  });
  afterEach(() => pool.stop());

  it('never give one question the answer of another, when a thread dies between them', async () => {
    // A thread that cannot load a revision dies at its start; the one after it no longer knows of it.
    pool.load({ revision: 'spoilt', module: await WebAssembly.compile(shipped.wasm), data: 'no JSON' });
    const dying = outcomeOf(pool, asked(['*']));
    pool.unload('spoilt');
    const rest = [['*'], [], ['*'], [], []].map((scopes) => outcomeOf(pool, asked(scopes)));
    expect(await dying).to.equal('policy_error');
    expect(await Promise.all(rest)).to.deep.equal(['allow', 'deny', 'allow', 'deny', 'deny']);
  });

  it('do not begin what has become pointless while it waited', async () => {
    const begun = outcomeOf(pool, asked(['*']));
    const refusal = { fault: 'policy_timeout', detail: 'no longer' } as const;
    const waited = pool.evaluate(asked(['*'], { refused: () => refusal }));
    const after = outcomeOf(pool, asked(['*'], { refused: () => undefined }));
    expect(await begun).to.equal('allow');
    expect(await waited).to.equal(refusal);
    expect(await after).to.equal('allow');
  });

  it('serve principals in turn, however many questions one of them has', async () => {
    const order: string[] = [];
    const ask = async (principal: string): Promise<void> => {
      await pool.evaluate(asked(['*'], { principal }));
      order.push(principal);
    };
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'c'].map(ask));
    expect(order.slice(0, 4)).to.have.members(['a', 'a', 'b', 'c']);
  });
});
