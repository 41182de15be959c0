import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from '../../../../kernel/cli/command/client.ts';
import type { CommandCall } from '../../../../kernel/index.ts';
import { exportLedger } from '../../../../plugins/ledger/commands/export.ts';
import { replayLedger } from '../../../../plugins/ledger/commands/replay.ts';
import { factLine } from '../../../../plugins/ledger/replay/export-lines.ts';
import { readableOf, type EntryText } from '../../../../plugins/ledger/commands/contents.ts';
import { Frontier } from '../../../../plugins/receipts/log/pure/frontier.ts';
import { hashLeaf } from '../../../../plugins/receipts/log/pure/tree.ts';
import { runCommand } from '../../../helpers/command.ts';
import { recordedProgress } from '../../../helpers/progress.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startMarket, type Market } from '../market.ts';

const orbId = 'test.record@1.0.0';

interface Replayed {
  readonly equal: boolean;
  readonly entries: number;
  readonly snapshots: readonly { readonly day: string; readonly digest: string }[];
  readonly differences: readonly string[];
}

describe('orb ledger replay', function () {
  this.timeout(60_000);
  const recorder = createRecorder();
  const bar = recordedProgress();
  let market: Market;
  let saved: string;
  let folder: string;

  before(async () => {
    market = await startMarket({
      platform: { providers: { main: { adapter: 'record/local', config: { name: 'live' } } } },
      data: { [`orbs/${orbId}.json`]: recordOrb({}) },
      adapters: [recorder.adapter],
    });
    const key = await market.platform.key({ name: 'one', scopes: ['orbs:execute'] });
    const body = { orb_id: orbId, inputs: { token: 't' } };
    for (let day = 0; day < 2; day++) {
      for (let at = 0; at < 15; at++) await market.platform.call('POST', '/orbisets/default/execute', body, key);
      await market.endDay();
    }
    const { home, stateDir } = market.platform;
    [saved, folder] = [join(home, 'saved'), join(home, 'copy')];
    const { exit } = await runCommand(exportLedger, stateDir, [saved], { client, bar });
    expect(exit).to.equal(0);
  });
  after(() => market.platform.stop());
  beforeEach(() => cpSync(saved, folder, { recursive: true }));
  afterEach(() => rmSync(folder, { recursive: true }));

  const client: CommandCall['client'] = () => {
    const { adminKey, stateDir, url } = market.platform;
    return createClient({ ORB_URL: url, ORB_KEY: adminKey }, stateDir);
  };
  const replay = async (args: string[] = [folder], more: Partial<CommandCall> = {}) => {
    const { exit, value } = await runCommand<Replayed>(replayLedger, market.platform.stateDir, args, more);
    return { exit, ...value };
  };
  const json = <T>(name: string): T => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
  const save = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value));
  const linesOf = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
  const saveLines = (name: string, all: readonly string[]): void =>
    writeFileSync(join(folder, name), `${all.join('\n')}\n`);
  const change = (name: string, to: (all: string[]) => string[]): void => saveLines(name, to(linesOf(name)));

  /** Changes entries, and everything that anybody without the keys can make fit them. */
  function forge(edit: (entry: EntryText, at: number) => EntryText): void {
    const entries = linesOf('entries.ndjson').map((line, at) => edit(JSON.parse(line) as EntryText, at));
    saveLines(
      'entries.ndjson',
      entries.map((entry) => JSON.stringify(entry)),
    );
    const leaves = entries.map(({ leaf }) => Buffer.from(leaf, 'base64'));
    saveLines(
      'facts.ndjson',
      entries.map((entry, at) => factLine({ ...readableOf(entry), leaf: leaves[at] ?? Buffer.alloc(0) })),
    );
    const root = Buffer.from(
      Frontier.empty()
        .append(leaves.map((leaf) => hashLeaf(leaf)))
        .root(),
    ).toString('base64');
    const contents = json<{ logs: { root_hash: string }[]; checkpoints: string[] }>('ledger.json');
    const [log] = contents.logs;
    const [note = ''] = contents.checkpoints;
    const forged = note.replace(log?.root_hash ?? '', root);
    save('ledger.json', { ...contents, logs: [{ ...log, root_hash: root }], checkpoints: [forged] });
    writeFileSync(join(folder, 'checkpoints/0.txt'), forged);
  }

  /** Gives an entry another payload, and a leaf that fits it. */
  function withPayload(entry: EntryText, text: string): EntryText {
    const payload = Buffer.from(text);
    const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');
    const before = digest(Buffer.from(entry.envelope.payload, 'base64'));
    const leaf = Buffer.from(entry.leaf, 'base64').toString().replace(before, digest(payload));
    const envelope = { ...entry.envelope, payload: payload.toString('base64') };
    return { ...entry, leaf: Buffer.from(leaf).toString('base64'), envelope };
  }

  it('verifies an export and a running server with the pinned keys, and computes the same digests of both', async () => {
    const ofFolder = await replay();
    expect([ofFolder.exit, ofFolder.differences, ofFolder.snapshots.length]).to.deep.equal([0, [], 2]);
    const ofServer = await replay([], { client });
    expect([ofServer.exit, ofServer.snapshots]).to.deep.equal([0, ofFolder.snapshots]);
  });

  it('shows how many entries it has read, as the export does', async () => {
    const { entries } = await replay([folder], { bar });
    const shown = [`${folder}: entries`, join(saved, 'facts.ndjson'), join(saved, 'entries.ndjson')];
    expect(shown.map((what) => bar.shown.get(what))).to.deep.equal(shown.map(() => `${entries}/${entries}`));
  });

  it('finds no difference in what it could not read to its end, and says so', async () => {
    const real = client();
    const cut: CommandCall['client'] = () => ({
      ...real,
      async download(path) {
        const text = await new Response(await real.download(path)).text();
        const lines = text.split('\n').slice(0, 3).join('\n');
        return new ReadableStream({
          start: (controller) => controller.enqueue(Buffer.from(`${lines}\n`)),
          pull: (controller) => controller.error(new TypeError('terminated')),
        });
      },
    });
    const { exit, notes } = await runCommand(replayLedger, market.platform.stateDir, [], { client: cut });
    expect(exit).to.equal(3);
    expect(notes.join()).to.include('the comparison did not run');
    const busy = (): never => {
      throw Object.assign(new Error('the store cannot be read'), { status: 503 });
    };
    const away: CommandCall['client'] = () => ({ ...real, request: () => Promise.resolve().then(busy) });
    expect((await runCommand(replayLedger, market.platform.stateDir, [], { client: away })).exit).to.equal(3);
  });

  it('refuses edited runs though everything but the signatures was made to fit them', async () => {
    let edited = 0;
    forge((entry) => {
      const { kind, statement } = readableOf(entry);
      if (kind !== 'run' || edited === 12) return entry;
      edited += 1;
      return withPayload(entry, statement.replace(/"execution_ms":\d+/, '"execution_ms":1234'));
    });
    const { differences, exit } = await replay();
    expect([exit, edited]).to.deep.equal([1, 12]);
    expect(differences.filter((text) => text.includes('is not signed'))).to.have.length(12);
    expect(differences.join('\n')).to.include('has a checkpoint that its pinned key has not signed');
  });

  it('refuses entries that were signed for another place, or are shown in another order', async () => {
    forge((entry, at) =>
      at === 5 ? { ...entry, ...JSON.parse(linesOf('entries.ndjson')[6] ?? ''), index: 5 } : entry,
    );
    expect((await replay()).differences.join('\n')).to.include('has a checkpoint that its pinned key');
  });

  const cases: readonly (readonly [name: string, tamper: () => void, says: RegExp])[] = [
    [
      'an entry with the leaf of another',
      () =>
        change('entries.ndjson', (all) => {
          const { leaf } = JSON.parse(all[7] ?? '') as EntryText;
          return all.map((line, at) => (at === 6 ? JSON.stringify({ ...(JSON.parse(line) as object), leaf }) : line));
        }),
      /^the entry \S+ 6 has a leaf that does not match its envelope/,
    ],
    [
      'an entry that is missing',
      () => change('entries.ndjson', (all) => all.filter((_, at) => at !== 6)),
      /^the entry/,
    ],
    [
      'an entry with another signature',
      () =>
        change('entries.ndjson', (all) =>
          all.map((line, at) => (at === 6 ? line.replace(/"sig":"..../, '"sig":"AAAA') : line)),
        ),
      /^the entry \S+ 6 is not signed: no trusted key signed the payload/,
    ],
    [
      'a fact that is another',
      () =>
        change('facts.ndjson', (all) =>
          all.map((line) => line.replace('"outcome_class":"ok"', '"outcome_class":"orb_fault"')),
        ),
      /^the fact of the entry \S+ \d+ differs from its payload/,
    ],
    ['a fact that is missing', () => change('facts.ndjson', (all) => all.slice(0, -1)), /^the fact of the entry/],
    ['a fact too many', () => change('facts.ndjson', (all) => [...all, all[0] ?? '']), /^there are more facts/],
    [
      'another number in scoring.json',
      () => save('scoring.json', { ...json<object>('scoring.json'), window_days: 181 }),
      /^scoring\.json: differs/,
    ],
    [
      'another number in the scoring document of ledger.json',
      () => save('ledger.json', { ...json<object>('ledger.json'), scoring: { id: 'orb-score/1' } }),
      /^the scoring document of ledger\.json does not match/,
    ],
    [
      'a scoring policy of another name',
      () => {
        const contents = json<{ scoring_policy: object }>('ledger.json');
        save('ledger.json', { ...contents, scoring_policy: { ...contents.scoring_policy, id: 'orb-score/2' } });
      },
      /^the scoring document is sha256:/,
    ],
    ['snapshots.json of less', () => save('snapshots.json', []), /^snapshots\.json: differs/],
    [
      'another digest in the list of snapshots',
      () => {
        const contents = json<{ snapshots: { digest: string }[] }>('ledger.json');
        const snapshots = contents.snapshots.map((one) => ({ ...one, digest: `sha256:${'0'.repeat(64)}` }));
        save('ledger.json', { ...contents, snapshots });
        save('snapshots.json', snapshots);
      },
      /^the list of snapshots names another digest of 2026-01-01/,
    ],
    [
      'another root in the list of snapshots',
      () => {
        const contents = json<{ snapshots: { logs: object[] }[] }>('ledger.json');
        const root_hash = Buffer.alloc(32).toString('base64');
        const snapshots = contents.snapshots.map((one) => ({
          ...one,
          logs: one.logs.map((log) => ({ ...log, root_hash })),
        }));
        save('ledger.json', { ...contents, snapshots });
        save('snapshots.json', snapshots);
      },
      /^the snapshot of 2026-01-01 names another root of ins_/,
    ],
    [
      'another root in ledger.json',
      () => {
        const contents = json<{ logs: object[] }>('ledger.json');
        const root_hash = Buffer.alloc(32).toString('base64');
        save('ledger.json', { ...contents, logs: contents.logs.map((log) => ({ ...log, root_hash })) });
      },
      /^ins_\S+ has another root than is said/,
    ],
    [
      'another checkpoint beside it',
      () => writeFileSync(join(folder, 'checkpoints/0.txt'), ''),
      /^checkpoints: differs/,
    ],
    [
      'no checkpoint',
      () => {
        save('ledger.json', { ...json<object>('ledger.json'), checkpoints: [''] });
        writeFileSync(join(folder, 'checkpoints/0.txt'), '');
      },
      /has no checkpoint$/,
    ],
  ];
  for (const [name, tamper, says] of cases)
    it(`refuses an export with ${name}`, async () => {
      tamper();
      const { differences, equal, exit } = await replay();
      expect([exit, equal]).to.deep.equal([1, false]);
      expect(
        differences.find((text) => says.test(text)),
        differences.join('\n'),
      ).to.be.a('string');
    });

  it('refuses a log that ends early, though its smaller tree is said to be all of it', async () => {
    change('entries.ndjson', (all) => all.slice(0, -1));
    change('facts.ndjson', (all) => all.slice(0, -1));
    const contents = json<{ logs: { tree_size: number }[] }>('ledger.json');
    save('ledger.json', { ...contents, logs: contents.logs.map((log) => ({ ...log, tree_size: log.tree_size - 1 })) });
    expect((await replay()).differences.join('\n')).to.include('has a checkpoint of other entries');
  });

  it('trusts the pinned keys alone: none is exit 3, those of others are differences', async () => {
    const none = await runCommand(replayLedger, folder, [folder]);
    expect([none.exit, none.notes.join().includes('--keys')]).to.deep.equal([3, true]);
    const strangers = join(folder, 'strangers.json');
    writeFileSync(strangers, '{"keys":[]}');
    const { differences, exit } = await replay([folder], { options: { keys: strangers } });
    expect(exit).to.equal(1);
    expect(differences[0]).to.include('is not signed: the key that signed is not among the pinned');
    const keys = JSON.parse(readFileSync(join(market.platform.stateDir, 'jwks.json'), 'utf8')) as {
      keys: { role: string }[];
    };
    writeFileSync(strangers, JSON.stringify({ keys: keys.keys.filter(({ role }) => role !== 'log') }));
    const unpinned = await replay([folder], { options: { keys: strangers } });
    expect(unpinned.differences).to.deep.equal([
      `${json<{ logs: { origin: string }[] }>('ledger.json').logs[0]?.origin ?? ''} has no pinned key`,
    ]);
  });
});
