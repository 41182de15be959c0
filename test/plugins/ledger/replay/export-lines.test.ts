import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { entryLines, factLines } from '../../../../plugins/ledger/replay/export-lines.ts';
import type { Prefix } from '../../../../plugins/ledger/fact/prefix.ts';
import { runPredicate, syntheticLog, type SyntheticLog } from '../synthetic-log.ts';

async function all(lines: AsyncIterable<string>): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  for await (const line of lines) {
    expect(line.endsWith('\n')).to.equal(true);
    found.push(JSON.parse(line) as Readonly<Record<string, unknown>>);
  }
  return found;
}
const prefixOf = (log: SyntheticLog): Prefix => log.heads();
const places = (lines: readonly Readonly<Record<string, unknown>>[]) =>
  lines.map(({ origin, index }) => `${String(origin).split('/').at(-1)}/${String(index)}`);

describe('the lines of an export', () => {
  const run = (log: SyntheticLog, count: number): void => {
    for (let at = 0; at < count; at += 1) log.append('run', runPredicate({ day: 0, second: at, caller: 1 }));
  };

  it('are those of the prefix, in order, over all shards and pages', async () => {
    const log = syntheticLog();
    run(log, 3);
    log.rotate();
    run(log, 205);
    const prefix = prefixOf(log);
    run(log, 2);
    for (const lines of [factLines(log, prefix), entryLines(log, prefix)]) {
      const found = places(await all(lines));
      expect(found).to.have.length(208);
      expect([...found.slice(0, 4), found.at(-1)]).to.deep.equal(['0/0', '0/1', '0/2', '1/0', '1/204']);
    }
    expect(await all(factLines(log, []))).to.deep.equal([]);
  });

  it('end with a full page', async () => {
    const log = syntheticLog();
    run(log, 200);
    expect(await all(factLines(log, prefixOf(log)))).to.have.length(200);
  });

  it('tell of an entry what the ledger reads, with the hash of its leaf', async () => {
    const log = syntheticLog();
    run(log, 1);
    const [entry] = log.entries;
    const [line] = await all(factLines(log, prefixOf(log)));
    const leaf = createHash('sha256')
      .update(Uint8Array.of(0))
      .update(entry?.leaf ?? '')
      .digest('base64');
    expect(line).to.include({
      kind: 'run',
      index: 0,
      leaf_hash: leaf,
      receipt_id: entry?.receipt_id,
      outcome: 'accepted',
    });
    const [whole] = await all(entryLines(log, prefixOf(log)));
    expect(whole).to.deep.include({
      envelope: entry?.envelope,
      leaf: Buffer.from(entry?.leaf ?? '').toString('base64'),
    });
  });

  it('have one for an entry that cannot be read, chosen or not, so that nothing seems left out', async () => {
    const log = syntheticLog();
    run(log, 2);
    log.append('run', { facts: {} });
    const lines = await all(factLines(log, prefixOf(log), () => false));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ kind: 'run', index: 2, unreadable: true });
    const wanted = await all(factLines(log, prefixOf(log), (line) => line.index === 1));
    expect(places(wanted)).to.deep.equal(['0/1', '0/2']);
  });
});
