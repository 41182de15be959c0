import type { LogEntry } from '../../plugins/receipts/contract.ts';
import { generate } from '../plugins/ledger/generator.ts';
import { openLedger } from '../plugins/ledger/opened.ts';
import { runPredicate, syntheticLog, type SyntheticLog } from '../plugins/ledger/synthetic-log.ts';

/**
 * Prints what folding one entry costs after 10^3, 10^4, 10^5 and 10^6 entries, in CPU time of all threads: it stays the
 * same.
 * `node test/bench/ledger.ts [largest]`; default 10^6.
 */
const largest = Number(process.argv[2] ?? 1_000_000);
const chunk = 1000;
const callers = 20;
const days = 180;
const samples = 5;

// Of the log only the newest entries are kept: what grows is the ledger, not this program.
let window: readonly LogEntry[] = [];
let entries = 0;
const origin = syntheticLog().heads()[0]?.origin ?? '';
const log: SyntheticLog = {
  ...syntheticLog(),
  heads: () => [{ origin, tree_size: entries, root_hash: '', checkpoint: '' }],
  entriesAfter(read, limit) {
    const from = (read.get(origin) ?? 0) - (entries - window.length);
    return window.slice(from, from + limit);
  },
};

const ledger = await openLedger(log);
await ledger.ledger.settled();
console.log('  entries    CPU µs per entry');
for (const size of [1000, 10_000, 100_000, 1_000_000].filter((wanted) => wanted <= largest)) {
  while (entries < size - samples * chunk) await fold();
  const times = [];
  for (let at = 0; at < samples; at++) times.push(await fold());
  times.sort((a, b) => a - b);
  console.log(`${String(entries).padStart(9)}    ${(times[samples >> 1] ?? 0).toFixed(1)}`);
}
await ledger.close();

/** Adds entries and folds them; CPU µs per entry. */
async function fold(): Promise<number> {
  const day = Math.floor((entries / largest) * days);
  const made = syntheticLog();
  for (const run of generate(1, callers, chunk / callers)) made.append('run', runPredicate({ ...run, day }));
  window = made.entries.map((entry, at) => ({ ...entry, index: entries + at }));
  entries += chunk;
  const begun = process.cpuUsage();
  await ledger.ledger.settled();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / chunk;
}
