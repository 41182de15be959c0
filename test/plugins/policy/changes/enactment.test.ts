import { expect } from 'chai';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operation } from '../../../../kernel/index.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { readFolder } from '../../../../plugins/policy/folder/read.ts';
import { createChanges, type ChangesOptions } from '../../../../plugins/policy/changes/changes.ts';
import { enactAlone, type EnactmentOptions } from '../../../../plugins/policy/changes/enactment.ts';
import { revisionDigest, type Revision } from '../../../../plugins/policy/revisions/revision.ts';
import { revisionRoutes } from '../../../../plugins/policy/routes/revisions.ts';
import type { RouteScope } from '../../../../plugins/policy/routes/scope.ts';
import policyStore from '../../../../plugins/policy/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';
import { until } from '../../../helpers/until.ts';
import { call } from '../routes/world.ts';
import type { PolicyFile } from '../../../../plugins/policy/shapes.ts';

const at = '2026-11-20T10:00:00.000Z';
const compiled = { data: {}, policies: [], entrypoints: {} };
const file = (path: string): PolicyFile => ({ path, source: `package ${path}` });
const revisionOf = (...paths: string[]): Revision => {
  const files = paths.map(file);
  return { ...compiled, digest: revisionDigest(files), files, wasm: new Uint8Array([1]) };
};
const first = revisionOf('a.rego');
const second = revisionOf('a.rego', 'b.rego');
const third = revisionOf('a.rego', 'c.rego');
const nameOf = (digest: string | undefined): string =>
  `revision ${[first, second, third].findIndex((revision) => revision.digest === digest) + 1}`;

/** A server alone whose store refuses the operations in `refused`; `start` makes what a start makes of its store. */
function create() {
  const folder = mkdtempSync(join(tmpdir(), 'orb-enactment-'));
  const store = openInMemory(policyStore, () => Date.parse(at));
  const refused = new Set<string>();
  const write = async (operations: readonly Operation[]): Promise<null[]> => {
    for (const { name, args } of operations) {
      if (refused.has(name)) throw new Error(`the disk is full: ${name}`);
      store.operations[name as 'withdraw'](args as never);
    }
    return operations.map(() => null);
  };
  const commit = async ({ digest, files }: Revision, { pending = false } = {}): Promise<void> => {
    if (refused.has('activate')) throw new Error('the disk is full: activate');
    const kept = { digest, files, compiled, wasm: new Uint8Array([1]), message: null, pending };
    store.operations.activate({ ...kept, at, actor: 'prn_1' });
  };
  const start = () => {
    const engine = {
      active: first as Revision | undefined,
      serve: async (revision: Revision) => void (engine.active = revision),
      restore: async (revision: Revision) => void (engine.active = revision),
      build: async ({ files }: Revision) => ({
        revision: { ...revisionOf(), digest: revisionDigest(files), files },
        diagnostics: [],
      }),
      commit,
    };
    const home = { own: folder, served: () => folder, read: (of = folder) => readFolder(of) };
    const options = {
      ...{ engine, home, reads: store.reads, log: silentLog },
      ...{ watch: { pause: async () => undefined, resume: () => undefined } },
      store: { write, peers: { everywhere: async () => undefined } },
    } as unknown as EnactmentOptions & ChangesOptions & RouteScope;
    const enactment = enactAlone(options);
    const changes = createChanges({ ...options, enactment });
    const change = ({ files }: Revision): Promise<string> =>
      changes
        .change(() => ({ files }), { actor: 'prn_1' })
        .then(
          () => 'changed',
          (error: Error) => error.message,
        );
    const rollBack = (): Promise<unknown> =>
      call(revisionRoutes({ ...options, changes }), 'rollBackPolicies').catch((error: Error) => error.message);
    return { engine, enactment, change, rollBack };
  };
  const rows = () =>
    store.reads.activations(10).map(({ digest, pending }) => `${nameOf(digest)}${pending ? ' pending' : ''}`);
  const tidy = (): void => rmSync(folder, { recursive: true });
  return { ...{ folder, refused, start, commit, rows, tidy }, reads: store.reads, operations: store.operations };
}

describe('the activation of a revision on a server alone', () => {
  let world: ReturnType<typeof create>;
  let server: ReturnType<ReturnType<typeof create>['start']>;
  /** Something stands in the way of a file of the revision. */
  const inTheWay = (revision: Revision): string => join(world.folder, revision.files.at(-1)?.path ?? '');
  const refuse = async (revision: Revision, ...more: string[]): Promise<void> => {
    mkdirSync(inTheWay(revision));
    for (const name of ['withdraw', ...more]) world.refused.add(name);
    expect(await server.change(revision)).to.match(/EISDIR|ENOTEMPTY|EEXIST|directory/);
    rmSync(inTheWay(revision), { recursive: true });
  };

  beforeEach(async () => {
    world = create();
    server = world.start();
    await world.commit(first);
    for (const { path, source } of first.files) writeFileSync(join(world.folder, path), source);
  });
  afterEach(async () => {
    await server.enactment.stop();
    world.tidy();
  });

  it('fails with the fault of the folder when the store refuses its withdrawal, which is tried again until it is taken', async () => {
    await refuse(second);
    expect(world.rows()).to.deep.equal(['revision 2 pending', 'revision 1']);
    world.refused.clear();
    await until(world.rows, (rows) => rows.length === 1, 'the withdrawal');
    expect(world.rows()).to.deep.equal(['revision 1']);
  });

  it('that failed is withdrawn before the next change, which is refused while the store refuses that', async () => {
    await refuse(second);
    expect(await server.change(third)).to.equal('the disk is full: withdraw');
    world.refused.clear();
    expect(await server.change(third)).to.equal('changed');
    expect(world.rows()).to.deep.equal(['revision 3', 'revision 1']);
  });

  it('that failed is not put into force by a rollback', async () => {
    await refuse(second);
    world.refused.clear();
    expect(await server.rollBack()).to.equal('revision_not_found');
    expect(nameOf(server.engine.active?.digest)).to.equal('revision 1');
  });

  it('whose commit was stored and not heard of is withdrawn', async () => {
    const commit = server.engine.commit;
    Object.assign(server.engine, {
      commit: async (...args: Parameters<typeof commit>) => {
        await commit(...args);
        throw new Error('nobody answers');
      },
    });
    expect(await server.change(second)).to.equal('nobody answers');
    expect(world.rows()).to.deep.equal(['revision 1']);
  });

  it('is in force when the store refuses to settle it, and stays so when a later one is withdrawn', async () => {
    world.refused.add('settle');
    expect(await server.change(second)).to.equal('changed');
    expect(nameOf(server.engine.active?.digest)).to.equal('revision 2');
    expect(world.rows()).to.deep.equal(['revision 2 pending', 'revision 1']);
    world.refused.clear();
    await refuse(third);
    world.refused.clear();
    await until(world.rows, (rows) => !rows.some((row) => row.includes('pending')), 'the withdrawal');
    expect(world.rows()).to.deep.equal(['revision 2', 'revision 1']);
  });

  it('is noted a last time when the server stops', async () => {
    await refuse(second);
    world.refused.clear();
    await server.enactment.stop();
    expect(world.rows()).to.deep.equal(['revision 1']);
  });

  describe('that is pending at a start', () => {
    const restart = async (): Promise<void> => {
      await server.enactment.stop();
      server = world.start();
      await server.enactment.settle();
    };
    /** Commits revisions that a death leaves pending. */
    const pend = async (...revisions: Revision[]): Promise<void> => {
      for (const revision of revisions) await world.commit(revision, { pending: true });
    };

    it('is completed when it is the newest, and earlier ones are withdrawn', async () => {
      await pend(third, second);
      await restart();
      expect(world.rows()).to.deep.equal(['revision 2', 'revision 1']);
      expect(nameOf(server.engine.active?.digest)).to.equal('revision 2');
      expect(readdirSync(world.folder).sort()).to.deep.equal(second.files.map(({ path }) => path));
    });

    it('is withdrawn when a later one is not pending', async () => {
      await pend(second);
      await world.commit(first);
      await restart();
      expect(world.rows()).to.deep.equal(['revision 1', 'revision 1']);
      expect(existsSync(inTheWay(second))).to.equal(false);
    });

    it('does not serve when its folder cannot be written, and no start fails when the store refuses its withdrawal', async () => {
      await pend(second);
      mkdirSync(inTheWay(second));
      world.refused.add('withdraw');
      await restart();
      expect(nameOf(server.engine.active?.digest)).to.equal('revision 1');
      world.refused.clear();
      await server.enactment.ended();
      expect(world.rows()).to.deep.equal(['revision 1']);
    });

    it('is completed without a write when the folder holds it', async () => {
      await pend(second);
      for (const { path, source } of second.files) writeFileSync(join(world.folder, path), source);
      const { ino } = statSync(inTheWay(second));
      await restart();
      expect(nameOf(server.engine.active?.digest)).to.equal('revision 2');
      expect(world.rows()).to.deep.equal(['revision 2', 'revision 1']);
      expect(statSync(inTheWay(second)).ino).to.equal(ino);
    });
  });
});
