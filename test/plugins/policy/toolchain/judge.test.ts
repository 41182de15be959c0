import { expect } from 'chai';
import type { Pool } from '../../../../plugins/policy/evaluator/pool.ts';
import type { WasmModule } from '../../../../plugins/policy/evaluator/web-assembly.ts';
import { judgeTests } from '../../../../plugins/policy/toolchain/tests.ts';

describe('the tests of a folder', () => {
  const compiled = { name: 'tests', tests: [], module: {} as WasmModule, data: '{}', time_ns: '0' };
  const poolOf = (evaluate: () => Promise<never>) => {
    const loaded = new Set<string>();
    const load = ({ revision }: { readonly revision: string }) => void loaded.add(revision);
    const unload = (revision: string) => void loaded.delete(revision);
    return { loaded, pool: { load, unload, evaluate } as Partial<Pool> as Pool };
  };

  it('leave nothing in the evaluators, also when one of them cannot be asked', async () => {
    const { loaded, pool } = poolOf(() => {
      expect([...loaded]).to.deep.equal(['tests']);
      return Promise.reject(new Error('gone'));
    });
    await judgeTests(pool, compiled);
    expect([...loaded]).to.deep.equal([]);
    const test = { package: 'p', name: 'test_a', file: 'a_test.rego', line: 1, passed: true, entrypoint: 'p/test_a' };
    const failed = await judgeTests(pool, { ...compiled, tests: [test] }).catch((error: Error) => error.message);
    expect(failed).to.equal('gone');
    expect([...loaded]).to.deep.equal([]);
  });
});
