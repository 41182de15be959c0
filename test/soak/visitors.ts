import type { Book } from './book.ts';
import type { Caller } from './callers.ts';
import type { Client } from './client.ts';
import { echoOrb } from './home.ts';

const orb = encodeURIComponent(echoOrb);
const publicPaths = [
  ...['/health', '/health/ready', '/status', '/status/formula', '/api/v2/summary.json', '/openapi.json'],
  ...['/marketplace', `/marketplace/${orb}`, '/marketplace/orbs/public', '/verify', '/problems/internal'],
  ...[`/reputation/${orb}`, `/reputation/${orb}/badge`, `/reputation/${orb}/badge.json`, `/reputation/${orb}/evidence`],
  ...[`/reputation/${orb}/history`, '/scoring/orb-score/1', '/log/checkpoint', '/log/policy', '/log/vkey'],
  ...['/.well-known/jwks.json', '/.well-known/did.json'],
];

/** Makes what a stranger does, round by round: one public page after the other. */
export function createVisitor(client: Client): (round: number) => Promise<void> {
  return async (round) => {
    const path = publicPaths[round % publicPaths.length] ?? '/health';
    // While a server starts, it says that it is not ready.
    await client.ask(path, { fits: [200] });
  };
}

/** Makes what an auditor does, round by round: reads runs and receipts of a tenant, and verifies them by the API. */
export function createAuditor(
  client: Client,
  callers: readonly Caller[],
  book: Book,
): (round: number) => Promise<void> {
  return async (round) => {
    const [own, foreign] = [callers[round % callers.length], callers[(round + 3) % callers.length]];
    if (own === undefined || foreign === undefined) return;
    const { key } = own;
    const list = await client.ask('/runs?limit=20', { key });
    const runs = (list?.json['runs'] ?? []) as readonly { readonly run_id: string; readonly receipt_id: string }[];
    const run = runs[round % Math.max(1, runs.length)];
    if (run === undefined) return;
    await client.ask(`/runs/${run.run_id}`, { key });
    if (own.orbiset !== foreign.orbiset) await client.ask(`/runs/${run.run_id}`, { key: foreign.key, fits: [404] });
    const receipt = await client.ask(`/receipts/${run.receipt_id}`, { key });
    if (receipt?.status !== 200) return;
    if (receipt.json['signature_valid'] !== true) book.fault(`${run.receipt_id} is not valid when it is read`);
    const report = await client.ask('/receipts/verify', { json: receipt.json });
    if (report?.status !== 200) return;
    book.count('verified by the API');
    if (report.json['overall'] !== 'VERIFIED')
      book.fault(`${run.receipt_id} was ${String(report.json['overall'])}: ${report.text.slice(0, 500)}`);
  };
}
