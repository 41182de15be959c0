import { setImmediate as nextTurn } from 'node:timers/promises';

/** One actor of a play: waits for its turn before each of its steps. */
export type Turn = (step: string) => Promise<void>;

interface Waiting {
  readonly actor: string;
  readonly go: () => void;
}

/** The steps that were made, as `<actor> <step>`, in their order. */
export type Trace = readonly string[];

/**
 * Plays actors against each other once for each order of their steps, one step at a time, and shows each play's trace.
 * `play` makes the actors again; each ends when its promise settles.
 */
export async function everyOrder(
  play: () => Promise<Readonly<Record<string, (turn: Turn) => Promise<unknown>>>>,
  check: (trace: Trace, ends: Readonly<Record<string, PromiseSettledResult<unknown>>>) => void | Promise<void>,
): Promise<number> {
  const left: (readonly number[])[] = [[]];
  let plays = 0;
  for (let choices = left.pop(); choices !== undefined; choices = left.pop()) {
    const { trace, ends, ways } = await playOnce(await play(), choices);
    plays += 1;
    // Every other choice that was there after those of this play.
    for (let at = choices.length; at < ways.length; at++)
      for (let other = 1; other < (ways[at] ?? 0); other++)
        left.push([...choices, ...Array<number>(at - choices.length).fill(0), other]);
    await check(trace, ends);
  }
  return plays;
}

async function playOnce(
  actors: Readonly<Record<string, (turn: Turn) => Promise<unknown>>>,
  choices: readonly number[],
) {
  const waiting: Waiting[] = [];
  const trace: string[] = [];
  const ends: Record<string, PromiseSettledResult<unknown>> = {};
  const names = Object.keys(actors);
  for (const [actor, act] of Object.entries(actors)) {
    const turn: Turn = (step) =>
      new Promise((resolve) => {
        const go = (): void => {
          trace.push(`${actor} ${step}`);
          resolve();
        };
        waiting.push({ actor, go });
      });
    void Promise.allSettled([act(turn)]).then(([end]) => (ends[actor] = end));
  }
  const ways: number[] = [];
  for (;;) {
    while (waiting.length + Object.keys(ends).length < names.length) await nextTurn();
    if (waiting.length === 0) return { trace, ends, ways };
    waiting.sort((one, other) => (one.actor < other.actor ? -1 : 1));
    const [next] = waiting.splice(choices[ways.length] ?? 0, 1);
    ways.push(waiting.length + 1);
    next?.go();
  }
}
