import { expect } from 'chai';
import type { Outcome } from '../../../../plugins/clients/typescript/src/surface.ts';
import { until } from '../../../helpers/until.ts';
import { faultsOf, kindsOf, type Call } from '../judged.ts';
import type { Counted } from '../vendor.ts';

/** How often a server is killed. */
export const kills = Number(process.env['CLIENT_KILLS'] ?? 2);
/** How many callers it has. */
export const callers = 8;

/** What calls, by one of the clients. */
export interface Caller {
  /** Runs the counted Orb once, under a key that is the token; for 30 s at most. */
  run(token: string): Promise<Outcome>;
  /** Waits for the end of an unknown outcome; for 5 s at most. */
  settle(outcome: Outcome): Promise<Outcome>;
}

/** What a caller needs of a server. */
export interface Server {
  readonly url: string;
  readonly key: string;
  readonly pin: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
}

/** Starts a server, and answers its key and what to pin. */
export async function startServer({ served, url }: Counted): Promise<Server> {
  const { key } = await served.start();
  return { url, key, pin: (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as Server['pin'] };
}

/** Kills a server under callers: no second effect, no false outcome, and what is unknown is settled. */
export async function callThroughKills({ effects, served }: Counted, { run, settle }: Caller): Promise<void> {
  const calls: Call[] = [];
  let open = true;
  const caller = async (name: number): Promise<void> => {
    for (let at = 0; open; at++) {
      const token = `server-${name}-${at}`;
      calls.push({ token, outcome: await run(token) });
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, name) => caller(name)));
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 300));
    await served.kill();
    await served.start();
  }
  await until(
    () => kindsOf(calls)['completed'] ?? 0,
    (completed) => completed > callers,
    'a call of each caller',
  );
  open = false;
  await all;
  expect(faultsOf(calls, effects())).to.deep.equal([]);
  for (const { outcome, token } of calls) {
    if (outcome.kind === 'unverified') {
      const again = await run(token);
      expect([again.kind, effects().get(token)], token).to.deep.equal(['completed', 1]);
    }
    if (outcome.kind !== 'unknown') continue;
    const settled = await settle(outcome);
    expect(faultsOf([{ token, outcome: settled }], effects())).to.deep.equal([]);
    // The provider cannot be asked, so only a person could know more of a run that has begun.
    if (settled.kind === 'unknown') expect(settled.runId, token).to.match(/^run_/);
  }
  console.log(`      ${calls.length} calls: ${JSON.stringify(kindsOf(calls))}`);
  expect(await served.stop()).to.equal(0);
}
