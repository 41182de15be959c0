import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from '../../../../kernel/cli/command/client.ts';
import { exportLedger } from '../../../../plugins/ledger/commands/export.ts';
import { replayLedger } from '../../../../plugins/ledger/commands/replay.ts';
import { runCommand } from '../../../helpers/command.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startMarket, type Market } from '../../ledger/market.ts';
import { edited, meaningOf, mutants, pick, seed, seeded, type Random } from './forge.ts';

const orbId = 'test.record@1.0.0';
const heads = ['logs', 'checkpoints', 'snapshots', 'scoring', 'scoring_policy'] as const;

describe('forged ledgers, of two shards', function () {
  this.timeout(1_200_000);
  const recorder = createRecorder();
  let market: Market;
  let saved: string;
  let folder: string;

  before(async () => {
    market = await startMarket({
      platform: { providers: { main: { adapter: 'record/local', config: { name: 'live' } } } },
      data: { [`orbs/${orbId}.json`]: recordOrb({}) },
      adapters: [recorder.adapter],
    });
    const { adminKey, home, stateDir, url } = market.platform;
    const execute = async (): Promise<void> => {
      const body = { orb_id: orbId, inputs: { token: 't' } };
      for (let at = 0; at < 4; at++) await market.platform.call('POST', '/orbisets/default/execute', body);
    };
    await execute();
    await market.endDay();
    await market.platform.call('POST', '/signing-keys/rotate', { role: 'log' });
    await execute();
    await market.endDay();
    [saved, folder] = [join(home, 'saved'), join(home, 'mutant')];
    const client = () => createClient({ ORB_URL: url, ORB_KEY: adminKey }, stateDir);
    expect((await runCommand(exportLedger, stateDir, [saved], { client })).exit).to.equal(0);
    // Nothing is remembered: only what is pinned can help.
    folder = join(home, 'mutant');
  });
  after(() => market.platform.stop());

  const replay = async (path: string): Promise<boolean> => {
    rmSync(join(market.platform.stateDir, 'seen-checkpoints.json'), { force: true });
    try {
      return (await runCommand(replayLedger, market.platform.stateDir, [path])).exit === 0;
    } catch {
      return false;
    }
  };
  const files = ['ledger.json', 'scoring.json', 'snapshots.json', 'entries.ndjson', 'facts.ndjson'];
  const all = [...files, 'checkpoints/0.txt', 'checkpoints/1.txt'];
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  // Shards and snapshots in another order, each with what belongs to it, are the same claim.
  const unordered = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value;
  const claimsOf = (path: string): string =>
    JSON.stringify(all.map((name) => (name.endsWith('.txt') ? '' : name) + claimOf(path, name)).sort());
  /** What a file claims: of entries their meanings, of JSON its values. */
  const claimOf = (path: string, name: string): string => {
    const text = readFileSync(join(path, name), 'utf8');
    if (name === 'entries.ndjson') return text.split('\n').map(meaningOf).join('\n');
    if (!name.endsWith('.json')) return text;
    try {
      const value = JSON.parse(text) as Record<string, unknown>;
      return JSON.stringify(
        name === 'ledger.json' ? heads.map((member) => unordered(value[member])) : unordered(value),
      );
    } catch {
      return text;
    }
  };

  /** Swaps, drops, copies or edits lines and members. */
  const forge = (random: Random): string => {
    const lines = (change: (list: string[]) => string[]) => (): void => {
      const name = pick(['entries.ndjson', 'facts.ndjson'], random);
      write(name, `${change(read(name).trimEnd().split('\n')).join('\n')}\n`);
    };
    const lists = (change: (list: unknown[]) => unknown[]) => (): void => {
      const contents = JSON.parse(read('ledger.json')) as Record<string, unknown[]>;
      const [member, ...more] = pick([['logs'], ['checkpoints'], ['snapshots'], ['logs', 'checkpoints']], random);
      for (const name of [member ?? '', ...more]) contents[name] = change(contents[name] ?? []);
      write('ledger.json', JSON.stringify(contents));
      if (random(2) === 0) write('snapshots.json', JSON.stringify(contents['snapshots']));
      for (const [at, note] of (contents['checkpoints'] as string[]).entries())
        if (at < 2) write(`checkpoints/${at}.txt`, note);
    };
    const swapped = <T>(list: T[]): T[] => {
      const [one, other] = [random(list.length), random(list.length)];
      return list.map((item, at) => (at === one ? list[other] : at === other ? list[one] : item) as T);
    };
    const dropped = <T>(list: T[]): T[] => list.toSpliced(random(list.length), 1);
    const copied = <T>(list: T[]): T[] => list.toSpliced(random(list.length), random(2), pick(list, random));
    const acts: Readonly<Record<string, () => void>> = {
      'edit a file': () => {
        const name = pick(all, random);
        write(name, edited(read(name), random));
      },
      'swap lines': lines(swapped),
      'drop a line': lines(dropped),
      'copy a line': lines(copied),
      'cut the end': lines((list) => list.slice(0, 1 + random(list.length - 1))),
      'drop the entries of a shard': () => {
        const shard = pick(['receipts/0"', 'receipts/1"'], random);
        for (const name of ['entries.ndjson', 'facts.ndjson'])
          write(
            name,
            `${read(name)
              .split('\n')
              .filter((line) => line !== '' && !line.includes(shard))
              .join('\n')}\n`,
          );
      },
      'swap heads': lists(swapped),
      'drop a head': lists(dropped),
      'copy a head': lists(copied),
      'swap checkpoints': () => {
        const [one, other] = [read('checkpoints/0.txt'), read('checkpoints/1.txt')];
        write('checkpoints/0.txt', other);
        write('checkpoints/1.txt', random(2) === 0 ? one : other);
      },
    };
    const name = pick(Object.keys(acts), random);
    acts[name]?.();
    return name;
  };

  it('are made of an honest one, which is equal', async () => {
    expect(await replay(saved)).to.equal(true);
  });

  const count = mutants(0.2, 60);
  it(`are never equal: ${count} mutants`, async () => {
    const random = seeded(seed);
    const claims = claimsOf(saved);
    for (let at = 0; at < count; at++) {
      cpSync(saved, folder, { recursive: true });
      const acts = Array.from({ length: 1 + random(2) }, () => forge(random));
      if (claimsOf(folder) === claims) continue;
      expect(await replay(folder), `seed ${seed}, mutant ${at}: ${acts.join('; ')}`).to.equal(false);
    }
  });
});
