import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from '../../../../kernel/cli/command/client.ts';
import type { CommandCall } from '../../../../kernel/index.ts';
import { exportLedger } from '../../../../plugins/ledger/commands/export.ts';
import { replayLedger } from '../../../../plugins/ledger/commands/replay.ts';
import { runCommand } from '../../../helpers/command.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startMarket, type Market } from '../market.ts';

const orbId = 'test.record@1.0.0';

interface Replayed {
  readonly equal: boolean;
  readonly differences: readonly string[];
}

interface Contents {
  readonly logs: readonly { readonly origin: string; readonly tree_size: number; readonly root_hash: string }[];
  readonly checkpoints: readonly string[];
  readonly snapshots: readonly object[];
}

describe('orb ledger replay of a log in several shards, to an auditor who pins their keys and remembers', function () {
  this.timeout(60_000);
  const recorder = createRecorder();
  let market: Market;
  let early: string;
  let saved: string;
  let folder: string;
  let auditor: string;

  before(async () => {
    market = await startMarket({
      platform: { providers: { main: { adapter: 'record/local', config: { name: 'live' } } } },
      data: { [`orbs/${orbId}.json`]: recordOrb({}) },
      adapters: [recorder.adapter],
    });
    const { home, stateDir } = market.platform;
    const execute = async (): Promise<void> => {
      const body = { orb_id: orbId, inputs: { token: 't' } };
      for (let at = 0; at < 3; at++) await market.platform.call('POST', '/orbisets/default/execute', body);
    };
    await execute();
    await market.endDay();
    [early, saved, folder, auditor] = ['early', 'saved', 'copy', 'auditor'].map((name) => join(home, name)) as [
      ...[string, string, string, string],
    ];
    expect((await runCommand(exportLedger, stateDir, [early], { client })).exit).to.equal(0);
    const { status } = await market.platform.call('POST', '/signing-keys/rotate', { role: 'log' });
    expect(status).to.equal(200);
    await execute();
    expect((await runCommand(exportLedger, stateDir, [saved], { client })).exit).to.equal(0);
  });
  after(() => market.platform.stop());
  beforeEach(() => {
    cpSync(saved, folder, { recursive: true });
    mkdirSync(auditor);
    cpSync(join(market.platform.stateDir, 'jwks.json'), join(auditor, 'jwks.json'));
  });
  afterEach(() => {
    for (const path of [folder, auditor]) rmSync(path, { recursive: true });
  });

  const client: CommandCall['client'] = () => {
    const { adminKey, stateDir, url } = market.platform;
    return createClient({ ORB_URL: url, ORB_KEY: adminKey }, stateDir);
  };
  const replay = async (path = folder) => {
    const { exit, notes, value } = await runCommand<Replayed | undefined>(replayLedger, auditor, [path]);
    return { exit, notes: notes.join('\n'), differences: value?.differences };
  };
  const contents = (): Contents => JSON.parse(readFileSync(join(folder, 'ledger.json'), 'utf8')) as Contents;
  const save = (change: Partial<Contents>): void =>
    writeFileSync(join(folder, 'ledger.json'), JSON.stringify({ ...contents(), ...change }));
  const lines = (name: string, keep: (line: string) => boolean): void => {
    const all = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    writeFileSync(join(folder, name), `${all.filter(keep).join('\n')}\n`);
  };
  /** Takes a shard out of the export, with everything that names it. */
  const hide = (at: number): string => {
    const { checkpoints, logs } = contents();
    const origin = logs[at]?.origin ?? '';
    save({ logs: logs.toSpliced(at, 1), checkpoints: checkpoints.toSpliced(at, 1) });
    for (const name of ['entries.ndjson', 'facts.ndjson']) lines(name, (line) => !line.includes(`"${origin}"`));
    return origin;
  };
  const seen = (change: (tree: { size: string; root: string }) => object): void => {
    const path = join(auditor, 'seen-checkpoints.json');
    const trees = Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, never>);
    writeFileSync(path, JSON.stringify(Object.fromEntries(trees.map(([origin, tree]) => [origin, change(tree)]))));
  };

  it('is equal, and remembers the newest tree of each shard', async () => {
    const { logs } = contents();
    expect(logs).to.have.length(2);
    expect(await replay()).to.deep.include({ exit: 0, differences: [] });
    const remembered: unknown = JSON.parse(readFileSync(join(auditor, 'seen-checkpoints.json'), 'utf8'));
    expect(remembered).to.deep.equal(
      Object.fromEntries(
        logs.map(({ origin, root_hash: root, tree_size: size }) => [origin, { size: `${size}`, root }]),
      ),
    );
    expect((await replay()).exit, 'again').to.equal(0);
  });

  it('misses a shard whose key is pinned: exit 5, and nothing is remembered', async () => {
    const origin = hide(1);
    expect(await replay()).to.deep.include({
      exit: 5,
      differences: [`the log ${origin} is missing, though the log is pinned`],
    });
    expect(existsSync(join(auditor, 'seen-checkpoints.json'))).to.equal(false);
  });

  it('misses a shard that is remembered, though its key is no longer pinned', async () => {
    expect((await replay()).exit).to.equal(0);
    const origin = hide(1);
    const path = join(auditor, 'jwks.json');
    const { keys } = JSON.parse(readFileSync(path, 'utf8')) as { keys: { origin?: string }[] };
    writeFileSync(path, JSON.stringify({ keys: keys.filter((key) => key.origin !== origin) }));
    const { differences, exit } = await replay();
    expect([exit, differences]).to.deep.equal([5, [`the log ${origin} is missing, though the log is remembered`]]);
  });

  it('finds a log that is smaller than it was when it was last seen', async () => {
    expect((await replay()).exit).to.equal(0);
    const { differences, exit } = await replay(early);
    expect(exit).to.equal(5);
    expect(differences?.join()).to.match(/receipts\/0 had \d+ entries when it was last seen/);
  });

  it('finds a log that is a fork of what was seen, and keeps the remembered tree', async () => {
    const [first] = contents().logs;
    expect((await replay(early)).exit, 'a shard is missing').to.equal(5);
    expect((await replay()).exit).to.equal(0);
    const root = Buffer.alloc(32, 7).toString('base64');
    seen((tree) => ({ size: `${Number(tree.size) - 1}`, root }));
    const before = readFileSync(join(auditor, 'seen-checkpoints.json'), 'utf8');
    const { differences, exit } = await replay();
    expect([exit, differences?.length]).to.deep.equal([5, 2]);
    expect(differences?.[0]).to.equal(
      `the first ${(first?.tree_size ?? 0) - 1} entries of ${first?.origin ?? ''} differ from those that were seen before`,
    );
    expect(readFileSync(join(auditor, 'seen-checkpoints.json'), 'utf8')).to.equal(before);
  });

  it('follows a log that has grown since it was seen', async () => {
    const { keys } = JSON.parse(readFileSync(join(auditor, 'jwks.json'), 'utf8')) as { keys: { origin?: string }[] };
    const old = { keys: keys.filter(({ origin }) => origin?.endsWith('/1') !== true) };
    writeFileSync(join(auditor, 'jwks.json'), JSON.stringify(old));
    expect((await replay(early)).exit).to.equal(0);
    writeFileSync(join(auditor, 'jwks.json'), JSON.stringify({ keys }));
    expect((await replay()).exit).to.equal(0);
  });

  it('refuses shards that are swapped, copied or shown twice', async () => {
    const { checkpoints, logs } = contents();
    const [one, two] = logs as [Contents['logs'][0], Contents['logs'][0]];
    for (const change of [
      { checkpoints: checkpoints.toReversed() },
      {
        logs: [
          { ...two, origin: one.origin },
          { ...one, origin: two.origin },
        ],
      },
      { logs: [one, one], checkpoints: [checkpoints[0] ?? '', checkpoints[0] ?? ''] },
      { logs: [one, { ...one, origin: two.origin }], checkpoints: [checkpoints[0] ?? '', checkpoints[0] ?? ''] },
      { logs: [{ ...one, tree_size: 0 }, one, two], checkpoints: [checkpoints[0] ?? '', ...checkpoints] },
    ]) {
      cpSync(saved, folder, { recursive: true });
      save(change);
      for (const [at, note] of contents().checkpoints.entries())
        writeFileSync(join(folder, 'checkpoints', `${at}.txt`), note);
      expect((await replay()).exit, JSON.stringify(change)).to.equal(1);
    }
  });

  it('has nothing to verify in an export without a log: exit 3', async () => {
    save({ logs: [], checkpoints: [], snapshots: [] });
    for (const name of ['entries.ndjson', 'facts.ndjson']) lines(name, () => false);
    expect(await replay()).to.deep.include({
      exit: 3,
      notes: 'the export lists no log, so there is nothing to verify',
    });
  });

  for (const name of [
    'ledger.json',
    'scoring.json',
    'snapshots.json',
    'entries.ndjson',
    'facts.ndjson',
    'checkpoints/1.txt',
  ])
    it(`says in one line that ${name} is missing: exit 3`, async () => {
      rmSync(join(folder, name));
      const { exit, notes } = await replay();
      expect([exit, notes.split('\n').length]).to.deep.equal([3, 1]);
      expect(notes)
        .to.include(`cannot read ${join(folder, name)}`)
        .and.to.include('export the ledger again');
    });

  for (const [name, content] of [
    ['ledger.json', '{'],
    ['ledger.json', '{}'],
    ['ledger.json', '[]'],
    ['ledger.json', '{"logs":[{}],"checkpoints":[],"snapshots":[],"scoring_policy":{}}'],
    ['scoring.json', ''],
    ['entries.ndjson', 'x'],
    ['entries.ndjson', '{"origin":"a","index":0}'],
    ['entries.ndjson', 'null'],
  ] as const)
    it(`says in one line that ${name} is malformed, as ${content}: exit 2`, async () => {
      writeFileSync(join(folder, name), content);
      const { exit, notes } = await replay();
      expect([exit, notes.split('\n').length]).to.deep.equal([2, 1]);
      expect(notes).to.match(/is not JSON|is not an entry|does not name/);
    });
});
