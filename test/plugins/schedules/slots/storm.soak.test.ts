import { Cron } from 'croner';
import { expect } from 'chai';
import { Nodes, type Made } from './nodes.ts';

const whole = process.env['SCHEDULES_SOAK'] === '1';
const count = whole ? 10_000 : 500;
const looks = 120;

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'] as const;
const crons = [
  '30 2 * * *',
  '*/20 * * * *',
  '0 * * * *',
  '15 1 * * *',
  '45 1,2 * * *',
  '0 6 * * MON',
  '7 */3 * * *',
] as const;
// Times from which the clocks of a zone are about to change.
const changes = [
  '2026-03-07T20:00Z',
  '2026-03-28T20:00Z',
  '2026-04-04T08:00Z',
  '2026-10-03T08:00Z',
  '2026-10-24T20:00Z',
];

/** Numbers from 0 to 1, the same at each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What becomes of the slots of one pattern, by the rules and by croner's own times. */
class Expected {
  readonly runs: number[] = [];
  readonly #cron: Cron;
  readonly #catchUp: Made['catch_up'];
  readonly #over = new Set<number>();
  readonly #made: number;
  #seen: number;

  constructor({ cron, timezone, catch_up }: Made, now: number) {
    this.#cron = new Cron(cron, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
    this.#catchUp = catch_up;
    this.#made = now;
    this.#seen = now;
  }

  look(now: number): void {
    // The clock was set back: what comes is planned again, and what is over stays so. No slot is before the schedule.
    if (now + 1000 < this.#seen) this.#seen = Math.max(now, this.#made);
    const pending: number[] = [];
    for (let at = this.#seen; ;) {
      at = this.#cron.nextRun(new Date(at))?.getTime() ?? Infinity;
      if (at > now) break;
      pending.push(at);
    }
    const [first] = pending.filter((at) => now - at > 60_000);
    if (first !== undefined && this.#catchUp === 'one') this.#run(first);
    if (first !== undefined) this.#over.add(first);
    for (const at of pending.filter((one) => now - one <= 60_000)) this.#run(at);
    this.#seen = Math.max(this.#seen, now);
  }

  #run(at: number): void {
    if (!this.#over.has(at)) this.runs.push(at);
    this.#over.add(at);
  }
}

describe(`${count} schedules over a clock that jumps both ways, changes of the clocks, and restarts`, function () {
  this.timeout(whole ? 3_600_000 : 300_000);
  let nodes: Nodes;
  afterEach(() => nodes.close());

  it('run each slot once, and those that were missed as their rule says', async () => {
    const random = seeded(27);
    nodes = new Nodes('2026-03-07T20:00:00Z');
    await nodes.start();
    const made = Array.from({ length: count }, (_, index): Made => {
      const catch_up = index % 2 === 0 ? 'one' : 'none';
      return { cron: crons[index % crons.length] ?? '', timezone: zones[(index >> 1) % zones.length] ?? '', catch_up };
    });
    const ids = await nodes.make(made);
    // Schedules of one pattern and rule do the same.
    const nameOf = ({ cron, timezone, catch_up }: Made): string => `${cron} ${timezone} ${catch_up}`;
    const expected = new Map(made.map((one) => [nameOf(one), new Expected(one, nodes.now)]));
    let now = nodes.now;
    for (let look = 0; look < looks; look++) {
      now = moved(now, look, random);
      if (random() < 0.1) await nodes.start(1 + Math.floor(random() * 2));
      await nodes.look(now);
      for (const one of expected.values()) one.look(now);
    }
    const found = Map.groupBy(nodes.runs, ({ schedule_id }) => schedule_id);
    ids.forEach((id, index) => {
      const name = nameOf(made[index] ?? { cron: '', timezone: '', catch_up: 'none' });
      const planned = (found.get(id) ?? []).map(({ planned_at }) => planned_at);
      expect(new Set(planned).size, `a slot twice: ${name}`).to.equal(planned.length);
      expect(planned, name).to.deep.equal(expected.get(name)?.runs);
    });
    expect(new Set(nodes.runs.map(({ key }) => key)).size).to.equal(nodes.runs.length);
    expect(nodes.runs.length).to.be.greaterThan(count * 5);
  });
});

// Mostly a little on; at times far on, back, or to shortly before the clocks of a zone change.
function moved(now: number, look: number, random: () => number): number {
  if (look % 25 === 24) return Date.parse(changes[Math.floor(look / 25) % changes.length] ?? '');
  const chance = random();
  if (chance < 0.05) return now + Math.floor(random() * 3 * 86_400_000);
  if (chance < 0.15) return now - Math.floor(random() * 6 * 3_600_000);
  return now + Math.floor(random() * 20 * 60_000);
}
