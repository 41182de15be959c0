import { expect } from 'chai';
import type { AccessRequest } from '../../../kernel/access.ts';
import type { ReadPaths } from '../../../plugins/policy/contract.ts';
import { createCache } from '../../../plugins/policy/evaluator/cache.ts';
import type { Verdict } from '../../../plugins/policy/evaluator/result.ts';
import { compilerFiles } from '../../../plugins/policy/folder/gate.ts';
import { frameOfRequest } from '../../../plugins/policy/toolchain/request.ts';
import { compilerOrSkip } from './compiler.ts';
import { asked, folder, seeded } from './generated.ts';
import { createWorkbench, question, type Workbench } from './workbench.ts';

const soak = process.env['POLICY_SOAK'] === '1';
const folders = soak ? 80 : 10;
const questions = soak ? 250 : 50;

describe('the decision cache', () => {
  let bench: Workbench;
  before(function () {
    bench = createWorkbench(compilerOrSkip(this));
  });
  after(() => bench?.stop());

  it(`answers as an evaluation would, on ${folders * questions} generated pairs`, async function () {
    this.timeout(600_000);
    let hits = 0;
    let allowed = 0;
    for (let seed = 1; seed <= folders; seed += 1) {
      const random = seeded(seed);
      const files = folder(random);
      const revision = await bench.revision(files);
      const [plain, caching] = [await bench.decider(revision), await bench.decider(revision, { caching: true })];
      for (let round = 0; round < questions; round += 1) {
        const one = asked(random);
        const [expected, found] = [await plain.decide(one), await caching.decide(one)];
        expect(found.verdict, `seed ${seed}\n${files['generated.rego']}\n${JSON.stringify(one)}`).to.deep.equal(
          expected.verdict,
        );
        if (found.cached) hits += 1;
        if (found.verdict.allow) allowed += 1;
      }
      bench.pool.unload(revision.digest);
    }
    console.log(`      ${hits} of ${folders * questions} answered by the cache, ${allowed} allowed`);
    expect(hits).to.be.above(folders);
    expect(allowed).to.be.within(folders, folders * questions - folders);
  });

  it(`Wasm decides as OPA's interpreter does, on ${folders * 50} generated pairs`, async function () {
    this.timeout(600_000);
    for (let seed = 1; seed <= folders; seed += 1) {
      const random = seeded(seed + 1000);
      const files = folder(random);
      const revision = await bench.revision(files);
      const decider = await bench.decider(revision);
      const inputs = Array.from({ length: 50 }, () => asked(random));
      const request = {
        op: 'pairs',
        action: 'execute',
        inputs,
        data: revision.data,
        files: compilerFiles(revision.files),
      };
      const other = await bench.compiler.call<readonly { result: { allow: boolean; denies: readonly object[] } }[]>(
        { ...frameOfRequest, ...request },
        30_000,
      );
      for (const [index, one] of inputs.entries()) {
        const { verdict } = await decider.decide(one);
        const native = other[index]?.result;
        expect([verdict.allow, denials(verdict)], `seed ${seed} ${index}\n${files['generated.rego']}`).to.deep.equal([
          native?.allow,
          native?.denies.length,
        ]);
      }
      bench.pool.unload(revision.digest);
    }
  });

  const reading: { name: string; rule: string; paths?: ReadPaths['paths'] }[] = [
    { name: 'a plain path', rule: 'input.subject.mode == "live"', paths: [['subject', 'mode']] },
    { name: 'a path in brackets', rule: 'input["subject"]["mode"] == "live"', paths: [['subject', 'mode']] },
    { name: 'an absent path', rule: 'not input.context.client_ip', paths: [['context', 'client_ip']] },
    { name: 'a subtree', rule: 'some k, v in input.context.inputs; k == v', paths: [['context', 'inputs']] },
    {
      name: 'a path by another',
      rule: 'input.context.inputs[input.subject.id] == 1',
      paths: [
        ['context', 'inputs'],
        ['subject', 'id'],
      ],
    },
    { name: 'data by a path', rule: 'data.lists[input.resource.id]', paths: [['resource', 'id']] },
    { name: 'the time', rule: 'time.now_ns() > 0', paths: [['context', 'time_ns']] },
    {
      name: 'names of providers',
      rule: 'input.context.providers[_].name == "a"',
      paths: [['context', 'providers', null, 'name']],
    },
    {
      name: 'a provider as a whole',
      rule: 'some p in input.context.providers; count(p) > 9',
      paths: [['context', 'providers']],
    },
    {
      name: 'that there are providers',
      rule: 'some _ in input.context.providers',
      paths: [['context', 'providers']],
    },
    {
      name: 'how many providers there are',
      rule: 'count([1 | some _ in input.context.providers]) > 1',
      paths: [['context', 'providers']],
    },
    { name: 'the root by a key', rule: 'some k; count(input[k]) == 1' },
    { name: 'the root in a local', rule: 'x := input; x.subject.mode == "live"' },
    { name: 'the root in a call', rule: 'object.get(input, ["subject", "mode"], "") == "live"' },
    { name: 'the root in a value', rule: 'count({"i": input}) == 1' },
    { name: 'another root', rule: 'input.subject.mode == "live" with input as {}' },
  ];
  for (const { name, rule, paths } of reading) {
    it(`knows what is read: ${name}`, async () => {
      const body = rule.split('; ').join('\n\t');
      const { entrypoints, diagnostics } = await bench.build({
        'a.rego': `package orb.policies.a\n\nallow if {\n\t${body}\n}\n`,
      });
      const { all, paths: found } = entrypoints?.execute ?? { all: undefined, paths: diagnostics };
      expect(all).to.equal(paths === undefined);
      if (paths !== undefined) expect(found).to.deep.equal(paths);
    });
  }

  it('tells absent from null, keeps at most 10,000, and keeps nothing of a question whose values are long', () => {
    const cache = createCache({
      execute: {
        all: false,
        paths: [
          ['resource', 'score'],
          ['context', 'inputs'],
        ],
      },
    });
    const key = (change: (asked: AccessRequest) => object) => cache.keyOf('execute', change(question('execute')));
    const absent = key((one) => ({ ...one, resource: { id: 'x' } }));
    expect(key((one) => ({ ...one, resource: { score: null } }))).not.to.equal(absent);
    expect(key((one) => ({ ...one, context: { inputs: { text: 'x'.repeat(5000) } } }))).to.equal(undefined);
    const large = {
      get inputs(): object {
        throw new Error('written out');
      },
      inputs_bytes: 1_000_000,
    };
    expect(key((one) => ({ ...one, context: large }))).to.equal(undefined);
    for (let index = 0; index < 10_050; index += 1) cache.set(String(index), {} as Verdict);
    expect(cache.size).to.equal(10_000);
    expect(cache.get('0')).to.equal(undefined);
    expect(cache.get('10049')).not.to.equal(undefined);
  });
});

function denials({ reasons = [] }: Verdict): number {
  return reasons.filter(({ code }) => code === 'policy_denied').length;
}
