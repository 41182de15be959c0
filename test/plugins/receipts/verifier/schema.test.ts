import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../../../../kernel/index.ts';
import { runStatement } from '../../../../plugins/receipts/contract.ts';
import { findMisfit } from '../../../../plugins/receipts/verifier/schema.ts';
import { vectorStatement } from '../sample.ts';

type Json = Record<string, unknown>;

/** Lists the objects and arrays inside a value. */
function nodes(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(nodes)];
}

describe('the verifier’s own reading of a schema', () => {
  it('agrees with ajv on the vector and on random changes of it', () => {
    const validate = compile(runStatement);
    expect(findMisfit(runStatement, vectorStatement())).to.equal(undefined);
    const other = fc.constantFrom<unknown>('', 'x', 'live', 0, -1, 1.5, 2, true, null, [], {}, ['x'], undefined);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), other, fc.boolean(), (node, member, value, added) => {
        const changed = vectorStatement();
        const all = nodes(changed);
        const target = all[node % all.length] ?? {};
        const names = Object.keys(target);
        const name = added || names.length === 0 ? 'x' : (names[member % names.length] ?? 'x');
        if (Array.isArray(target) && name === 'x') target.push(value ?? 1);
        else if (value === undefined && !Array.isArray(target)) delete target[name];
        else target[name] = value ?? 1;
        expect(findMisfit(runStatement, changed) === undefined).to.equal(validate(changed).length === 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('points at what breaks it', () => {
    const changed = vectorStatement() as unknown as { predicate: { facts: { attempts: Json[] } } };
    const [attempt] = changed.predicate.facts.attempts;
    if (attempt !== undefined) attempt['latency_ms'] = 1.5;
    expect(findMisfit(runStatement, changed)).to.equal('/predicate/facts/attempts/0/latency_ms');
  });

  it('refuses a schema with a rule it does not know', () => {
    expect(() => findMisfit({ type: 'string', format: 'email' }, 'x')).to.throw('format');
    expect(() => findMisfit({ type: 'number' }, 1)).to.throw('type');
  });
});
