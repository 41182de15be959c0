import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../helpers/http.ts';
import type { SmtpReceiver } from '../helpers/smtp.ts';
import type { Book } from './book.ts';
import type { Site } from './site.ts';
import type { Row } from './table.ts';

interface ListedRun {
  readonly run_id: string;
  readonly status: string;
  readonly reason?: string;
  readonly receipt_id: string;
}

/** What is compared: what callers were told, what the server holds, what arrived as mail. */
export interface CheckOptions {
  readonly site: Site;
  readonly book: Book;
  readonly mail: SmtpReceiver;
  /** Receipts that the command verifies. */
  readonly verified: number;
}

/** Looks, right after a restart, for what was acknowledged last; what is missing is a fault in the book. */
export async function checkAfterRestart({ site, book }: CheckOptions): Promise<void> {
  const get = getter(site);
  for (const { runId } of [...book.runs.values()].slice(-20)) {
    const run = await get(`/runs/${runId}`);
    const receipt = run.status === 200 ? await get(`/receipts/${String(run.json['receipt_id'])}`) : run;
    if (receipt.json['signature_valid'] !== true)
      book.fault(`after a restart, run ${runId} has no valid receipt: ${receipt.status} ${receipt.text.slice(0, 200)}`);
  }
  for (const id of [...book.deliveries.values()].slice(-20)) {
    const { status } = await get(`/deliveries/${id}`);
    if (status !== 200) book.fault(`after a restart, delivery ${id} answers ${status}`);
  }
}

/** Compares everything at the end, the load being over; answers a row per check. */
export async function checkAll(options: CheckOptions): Promise<readonly Row[]> {
  const { site, book } = options;
  const runs = new Map((await listAll<ListedRun>(site, 'runs')).map((run) => [run.run_id, run]));
  const receipts = new Set((await listAll<{ receipt_id: string }>(site, 'receipts')).map((each) => each.receipt_id));
  const answered = [...book.runs.values()];
  const unlisted = answered.filter(({ runId }) => !runs.has(runId));
  const bare = [...runs.values()].filter(({ receipt_id }) => !receipts.has(receipt_id));
  const ended = answered.filter(({ status, code }) => status >= 500 && code !== 'policy_unavailable');
  const unexplained = ended.filter(({ runId }) => runs.get(runId)?.reason !== 'interrupted');
  const contradicted = answered.filter(
    ({ runId, status }) => runs.has(runId) && (status === 200) !== (runs.get(runId)?.status === 'completed'),
  );
  const swaps = [...book.swaps.values()].filter((id) => !receipts.has(id));
  return [
    row('runs acknowledged, all listed', answered.length, unlisted),
    row('runs listed, each with a receipt', runs.size, bare),
    row('runs acknowledged, all as they were answered', answered.length, contradicted),
    row('runs answered 5xx, all interrupted by a crash', ended.length, unexplained),
    row('swaps acknowledged, each with a receipt', book.swaps.size, swaps),
    ...mailRows(options, runs),
    ...(await deliveryRows(options)),
    ...(await commandRows(options, [...receipts])),
  ];
}

function mailRows({ site, book, mail }: CheckOptions, runs: ReadonlyMap<string, ListedRun>): readonly Row[] {
  const times = new Map<string, number>();
  const smtp = mail.messages.map(({ raw }) => tokenOf(raw.toString('latin1')));
  const outbox = join(site.served.stateDir, 'outbox');
  const files = existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')) : [];
  const written = files.map((name) => tokenOf(readFileSync(join(outbox, name), 'latin1')));
  for (const token of [...smtp, ...written]) times.set(token, (times.get(token) ?? 0) + 1);
  const doubled = [...times].filter(([, count]) => count > 1);
  const told = [...book.runs.values()].filter(({ token }) => token !== undefined);
  const lost = told.filter(({ status, token }) => status === 200 && !times.has(token ?? ''));
  const denied = told.filter(
    ({ runId, token }) =>
      times.has(token ?? '') && !['completed', 'indeterminate'].includes(runs.get(runId)?.status ?? ''),
  );
  return [
    row(`e-mails accepted (SMTP ${smtp.length}, outbox ${written.length}), none twice`, times.size, doubled),
    row('e-mails acknowledged, all accepted', told.filter(({ status }) => status === 200).length, lost),
    row('e-mails accepted, none of a run that failed', times.size, denied),
  ];
}

function tokenOf(message: string): string {
  return /soak-token-([a-z0-9-]+)/.exec(message)?.[1] ?? 'no token';
}

interface ListedDelivery {
  readonly delivery_id: string;
  readonly state: string;
}

async function deliveryRows({ site, book }: CheckOptions): Promise<readonly Row[]> {
  let listed: readonly ListedDelivery[] = [];
  for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
    listed = await listAll<ListedDelivery>(site, 'deliveries');
    if (!listed.some(({ state }) => state === 'queued')) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const states = new Map(listed.map(({ delivery_id, state }) => [delivery_id, state]));
  const missing = [...book.deliveries.values()].filter((id) => !states.has(id));
  const waiting = listed.filter(({ state }) => state === 'queued' || state === 'dead');
  return [
    row('deliveries acknowledged, all stored', book.deliveries.size, missing),
    row('deliveries stored, none waiting or dead', listed.length, waiting),
  ];
}

async function commandRows(
  { site, book, verified }: CheckOptions,
  receipts: readonly string[],
): Promise<readonly Row[]> {
  const get = getter(site);
  const rejected: string[] = [];
  const picked = Array.from(
    { length: Math.min(verified, receipts.length) },
    () => receipts[randomInt(receipts.length)],
  );
  for (const id of picked) {
    const file = join(site.served.home, 'receipt.json');
    writeFileSync(file, (await get(`/receipts/${id ?? ''}`)).text);
    const { status, output } = await site.orb('receipts', 'verify', file);
    if (status !== 0) rejected.push(`${id ?? ''} exit ${status}: ${output.slice(-300)}`);
  }
  const commands: Row[] = [];
  for (const words of [
    ['log', 'fsck'],
    ['log', 'fsck', `${site.url}/log`],
    ['ledger', 'replay'],
  ]) {
    const { status, output } = await site.orb(...words);
    if (status !== 0) book.fault(`orb ${words.join(' ')} ended with ${status}: ${output.slice(-1000)}`);
    const figure = `exit ${status}: ${(output.split('\n').at(-1) ?? '').replace(/^ins_\S+, /, '').slice(0, 60)}`;
    const what = `orb ${words.join(' ').replace(site.url, '')}`;
    commands.push({ what, figure, held: status === 0 });
  }
  return [row('receipts verified by the command', picked.length, rejected), ...commands];
}

/** Reads a whole list, newest first, with the admin's key. */
async function listAll<T>(site: Site, name: string): Promise<readonly T[]> {
  const get = getter(site);
  const found: T[] = [];
  for (let cursor = ''; ;) {
    const { status, json, text } = await get(`/${name}?limit=100${cursor}`);
    if (status !== 200) throw new Error(`GET /${name} answered ${status} ${text}`);
    found.push(...(json[name] as readonly T[]));
    if (typeof json['next_cursor'] !== 'string') return found;
    cursor = `&cursor=${encodeURIComponent(json['next_cursor'])}`;
  }
}

const getter = (site: Site) => (path: string) => send(site.url, path, { key: site.adminKey });

/** A row that holds when nothing is wrong; what is wrong is told, the first of it. */
function row(what: string, count: number, wrong: readonly unknown[]): Row {
  const first = wrong.slice(0, 3).map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  const figure = wrong.length === 0 ? String(count) : `${count}, wrong: ${wrong.length}, as ${first.join(' ')}`;
  return { what, figure, held: wrong.length === 0 };
}
