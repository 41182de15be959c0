import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeBuiltins, packageBuiltins } from '../../../plugins/policy/builtins/names.ts';
import { ownBuiltinNames } from '../../../plugins/policy/builtins/all.ts';
import { readFolder } from '../../../plugins/policy/folder/read.ts';
import { opaVersion } from '../../../plugins/policy/routes/status.ts';
import { readShipped, shippedFolder } from '../../../plugins/policy/shipped.ts';
import { compilerSources } from '../../../plugins/policy/toolchain/locate.ts';
import { compilerOrSkip } from './compiler.ts';
import { createWorkbench, deciderOn, load, outcome, question, type Workbench } from './workbench.ts';
import { activeOf } from '../../../plugins/policy/decide/decider.ts';
import { createPool } from '../../../plugins/policy/evaluator/pool.ts';

const files = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readFolder(shippedFolder)).files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
  );

describe('the policies that ship', () => {
  const shipped = readShipped();
  const pool = createPool({ threads: 1, deadlineMs: 1000, queue: { all: 10, each: 10 } });
  const decider = deciderOn(pool);
  before(async () => {
    await load(pool, shipped);
    decider.use(activeOf(shipped.digest, shipped));
  });
  after(() => pool.stop());

  const scoped = (action: 'execute' | 'swap' | 'publish', ...scopes: string[]) =>
    outcome(decider.decide(question(action, ({ subject }) => (subject['scopes'] = scopes))));

  it('let a key execute what its scopes cover', async () => {
    expect(await scoped('execute', 'orbs:execute')).to.equal('allow');
    expect(await scoped('execute', 'orbs:execute:smoke.*')).to.equal('allow');
    expect(await scoped('execute', 'orbs:execute:smok.*', 'providers:swap')).to.equal('not_allowed');
  });

  it('let a key swap to a provider that is not down', async () => {
    expect(await scoped('swap', 'providers:swap')).to.equal('allow');
    expect(await scoped('swap', 'orbs:execute')).to.equal('not_allowed');
    const down = question(
      'swap',
      ({ context }) => ((context['swap'] as Record<string, unknown>)['to_health'] = 'down'),
    );
    expect(await outcome(decider.decide(down))).to.equal('policy_denied');
  });

  it('let a tenant publish into its own namespace', async () => {
    expect(await scoped('publish', 'marketplace:publish')).to.equal('allow');
    const other = question('publish', ({ subject }) => (subject['tenant'] = 'other'));
    expect(await outcome(decider.decide(other))).to.equal('not_allowed');
  });

  describe('with a compiler', () => {
    let bench: Workbench;
    before(function () {
      bench = createWorkbench(compilerOrSkip(this));
    });
    after(() => bench?.stop());

    it('are compiled to the very Wasm that is committed', async () => {
      const revision = await bench.revision(await files());
      expect(revision.digest, 'run npm run build:policies').to.equal(shipped.digest);
      expect(Buffer.compare(Buffer.from(revision.wasm), Buffer.from(shipped.wasm))).to.equal(0);
      expect([revision.files, revision.policies, revision.entrypoints, revision.data]).to.deep.equal([
        shipped.files,
        shipped.policies,
        shipped.entrypoints,
        shipped.data,
      ]);
    });

    it('are formatted, and each has tests', async () => {
      const all = Object.entries(await files()).filter(([path]) => path.endsWith('.rego'));
      const request = { op: 'format', files: all.map(([path, source]) => ({ path, source })) };
      const answer = await bench.compiler.call<{ files: { path: string; changed: boolean }[] }>(request, 10_000);
      expect(answer.files.filter(({ changed }) => changed)).to.deep.equal([]);
      const { tests } = await bench.build(await files());
      for (const { id } of shipped.policies)
        expect(tests.some(({ file }) => file === `${id}_test.rego`)).to.equal(true);
    });

    it('the example of the folder passes every gate and denies by its message', async () => {
      const text = readFileSync(join(shippedFolder, 'README.md'), 'utf8');
      const example = /```rego\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
      const revision = await bench.revision({ ...(await files()), 'no_bulk_mail.rego': example });
      const mail = (...to: readonly string[]) =>
        question('execute', ({ resource, context }) => {
          resource['id'] = 'notify.email@1.0.0';
          context['inputs'] = { to: to.join(', ') };
          context['parsed'] = { to: to.map((address) => ({ address })) };
        });
      const on = await bench.decider(revision);
      expect(await outcome(on.decide(mail('a@example.com')))).to.equal('allow');
      expect(await outcome(on.decide(mail(...Array.from({ length: 11 }, (_, i) => `a${i}@example.com`))))).to.equal(
        'policy_denied',
      );
    });

    it('the compiler is built of the OPA that the API names', async () => {
      expect(readFileSync(join(compilerSources, 'go.mod'), 'utf8')).to.contain(`opa v${opaVersion}`);
      const { opa_version } = await bench.compiler.call<{ opa_version: string }>({ op: 'info' }, 10_000);
      expect(opa_version).to.equal(opaVersion);
    });

    it("offers of the builtins that OPA marks as non-deterministic only those with a rule of the cache's", async () => {
      const { builtins } = await bench.compiler.call<{ builtins: { name: string; nondeterministic: boolean }[] }>(
        { op: 'info' },
        10_000,
      );
      const offered = new Set([...nativeBuiltins, ...packageBuiltins, ...ownBuiltinNames]);
      const marked = builtins.filter(({ name, nondeterministic }) => nondeterministic && offered.has(name));
      expect(marked.map(({ name }) => name)).to.deep.equal(['time.now_ns']);
      const known = new Set(builtins.map(({ name }) => name));
      expect([...offered].filter((name) => !known.has(name))).to.deep.equal([]);
    });
  });
});
