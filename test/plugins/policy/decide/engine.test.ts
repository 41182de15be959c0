import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import type { Store } from '../../../../kernel/index.ts';
import { Engine } from '../../../../plugins/policy/decide/engine.ts';
import { createPool, type Pool } from '../../../../plugins/policy/evaluator/pool.ts';
import { createChanges, type ChangesOptions } from '../../../../plugins/policy/changes/changes.ts';
import { revisionDigest } from '../../../../plugins/policy/revisions/revision.ts';
import { gate } from '../../../../plugins/policy/folder/gate.ts';
import { readFolder, type Snapshot } from '../../../../plugins/policy/folder/read.ts';
import { readShipped, shippedFolder } from '../../../../plugins/policy/shipped.ts';
import type { PolicyReads } from '../../../../plugins/policy/store.ts';
import { cachePath, distPath } from '../../../../plugins/policy/toolchain/locate.ts';
import { createCompilerSource, type CompilerSource } from '../../../../plugins/policy/toolchain/source.ts';
import { CompilerFault, type Compiler } from '../../../../plugins/policy/toolchain/compiler.ts';
import { deciderOn, outcome, question } from '../workbench.ts';

const absent: CompilerSource = {
  state: () => 'absent',
  compiler: () => undefined,
  buildIfAbsent: async () => undefined,
  stop: async () => undefined,
};

describe('the engine without a compiler', function () {
  this.timeout(120_000);
  let pool: Pool;
  before(async () => void (pool = createPool({ threads: 1, deadlineMs: 1000, queue: { all: 10, each: 10 } })));
  after(() => pool.stop());

  const nothing = { revision: () => undefined, activations: () => [] } as unknown as PolicyReads;
  function engineOf(source = absent, reads = nothing, threads = pool) {
    const decider = deciderOn(pool);
    const store = { write: async () => [] } as unknown as Store;
    const rest = { source, pool: threads, trial: pool, shipped: readShipped(), clock: systemClock, log: silentLog };
    const runtime = { recording: () => ({ store: 'none', name: 'none', args: null }) };
    return { decider, engine: new Engine({ ...rest, runtime, decider, store, reads }) };
  }

  async function shippedAnd(files: Record<string, string>): Promise<Snapshot> {
    const more = Object.entries(files).map(([path, source]) => ({ path, bytes: new TextEncoder().encode(source) }));
    return { files: [...(await readFolder(shippedFolder)).files, ...more], diagnostics: [] };
  }

  it('serves an unchanged folder on the Wasm that ships', async () => {
    const { engine, decider } = engineOf();
    await engine.take(await shippedAnd({}));
    expect([engine.active?.digest, engine.precompiled, engine.rejected]).to.deep.equal([
      readShipped().digest,
      true,
      undefined,
    ]);
    expect(await outcome(decider.decide(question('execute')))).to.equal('allow');
  });

  it('serves a changed folder on what it has, degraded, and names the ways to a compiler', async () => {
    const { engine, decider } = engineOf();
    await engine.take(await shippedAnd({ 'mine.rego': 'package orb.policies.mine\n\ndeny contains "x"\n' }));
    expect(engine.rejected?.diagnostics[0]?.code).to.equal('policy_compiler_unavailable');
    expect(engine.rejected?.diagnostics[0]?.message).to.match(/install Go.*ORB_POLICY_COMPILER/);
    expect(await outcome(decider.decide(question('execute')))).to.equal('allow');
    await engine.take(await shippedAnd({}));
    expect(engine.rejected).to.equal(undefined);
  });

  it('knows the files of what it falls back to: a change is built on them', async () => {
    const { engine } = engineOf();
    await engine.take(await shippedAnd({ 'mine.rego': 'package orb.policies.mine\n\ndeny contains "x"\n' }));
    expect(revisionDigest(engine.active?.files ?? [])).to.equal(readShipped().digest);
    const draft = { id: 'new', source: 'package new', updated_at: '', updated_by: '' };
    const paths = createChanges({ engine } as unknown as ChangesOptions)
      .withDrafts([draft])
      .map(({ path }) => path);
    const shipped = (await shippedAnd({})).files.map(({ path }) => path);
    expect(paths).to.have.members([...shipped, 'new.rego']);
  });

  it('cannot check', async () => {
    const error = await engineOf()
      .engine.build(gate([]))
      .catch((caught: unknown) => caught);
    expect(error).to.include({ code: 'policy_compiler_unavailable' });
  });

  it('a folder that is broken at the first start denies all', async () => {
    const { engine, decider } = engineOf();
    await engine.take({ files: [{ path: 'a.rego', bytes: new Uint8Array([0xff]) }], diagnostics: [] });
    expect(engine.active).to.equal(undefined);
    expect(await outcome(decider.decide(question('execute')))).to.equal('policy_unavailable');
  });

  it('tries a folder again that ran out of time, three times in all', async () => {
    let calls = 0;
    const slow: Compiler = {
      call: async () => {
        calls += 1;
        throw new CompilerFault('deadline', 'the compiler took longer than 10000 ms');
      },
      running: () => true,
      groups: undefined,
      stop: async () => undefined,
    };
    const { engine } = engineOf({ ...absent, state: () => 'wasm', compiler: () => slow });
    const folder = await shippedAnd({ 'mine.rego': 'package orb.policies.mine\n\ndeny contains "x"\n' });
    const again: boolean[] = [];
    for (let round = 0; round < 4; round += 1) again.push(!(await engine.take(folder)));
    expect([again, calls]).to.deep.equal([[true, true, false, false], 3]);
    expect(engine.rejected?.diagnostics[0]?.code).to.equal('check_timeout');
    // Another folder has its own three.
    const other = await shippedAnd({ 'other.rego': 'package orb.policies.other\n\ndeny contains "x"\n' });
    expect(await engine.take(other)).to.equal(false);
  });

  it('serves the last good revision of the store at the start, unless its files are not those of its digest', async () => {
    const shipped = readShipped();
    const { files } = gate((await readFolder(shippedFolder)).files);
    const restored = async (stored: object): Promise<Engine> => {
      const reads = {
        revision: () => ({ ...shipped, digest: shipped.digest, files, ...stored }),
        // The folder may not hold a pending one.
        activations: () => [
          { digest: 'sha256:other', pending: true },
          { digest: shipped.digest, pending: false },
        ],
      } as unknown as PolicyReads;
      const engine = engineOf(absent, reads).engine;
      await engine.restore();
      return engine;
    };
    expect((await restored({})).active?.digest).to.equal(shipped.digest);
    const [first, ...rest] = files;
    const spoilt = [{ path: first?.path ?? '', source: `${first?.source ?? ''}\n` }, ...rest];
    expect((await restored({ files: spoilt })).active).to.equal(undefined);
    expect((await restored({ files: rest })).active).to.equal(undefined);
  });

  it('keeps the newest three revisions loaded: questions under way end on the one they began with', async () => {
    const unloaded: string[] = [];
    const kept = { ...pool, load: () => undefined, warm: () => undefined, unload: (old: string) => unloaded.push(old) };
    const { engine } = engineOf(absent, undefined, kept);
    const shipped = readShipped();
    const serve = (digest: string) => engine.serve({ ...shipped, digest, files: [] }, { actor: 'test' });
    for (const digest of ['a', 'b', 'c']) await serve(digest);
    expect(unloaded).to.deep.equal([]);
    // One that serves again is the newest again.
    await serve('a');
    expect(unloaded).to.deep.equal([]);
    await serve('d');
    expect(unloaded).to.deep.equal(['b']);
    await serve('e');
    expect(unloaded).to.deep.equal(['b', 'c']);
  });

  it('looks for a compiler in the state dir and in the package', () => {
    expect(cachePath('/state')).to.match(/^\/state\/cache\/policy-compiler-[0-9a-f]{16}\.wasm$/);
    const found = createCompilerSource(undefined, '/nowhere', silentLog);
    expect(found.state()).to.equal(existsSync(distPath()) ? 'wasm' : 'absent');
  });
});
