import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonical } from '../../../kernel/index.ts';
import type { OrbClient } from '../../../plugins/clients/typescript/src/orb.ts';
import type { sseReader } from '../../../plugins/clients/typescript/src/sse.ts';
import type { Client } from './built.ts';
import type { Time } from '../../../plugins/clients/typescript/src/wire.ts';
import { vectorsFolder } from './vectors/files.ts';
import type { Answer, ScriptCase, Step } from './vectors/script.ts';
import { applied, type Edit, type ReceiptCase } from './vectors/receipts.ts';

/** The parts of a client that the vectors are about. */
export interface Parts {
  readonly Orb: typeof OrbClient;
  readonly sseReader: typeof sseReader;
  readonly verifyReceipt: Client['verifyReceipt'];
  readonly verifyWebhook: Client['verifyWebhook'];
}

/** One case of a file of vectors. */
export interface Case {
  readonly name: string;
  readonly result: unknown;
}

/** Reads a file of vectors. */
export function readVectors<T>(file: string): T {
  return JSON.parse(readFileSync(join(vectorsFolder, `${file}.json`), 'utf8')) as T;
}

/** The line of a case: what every client prints. */
export function lineOf(file: string, name: string, result: unknown): string {
  return `${file} ${name} ${canonical(JSON.parse(JSON.stringify(result)))}`;
}

/** The lines that the vectors ask for. */
export function expectedLines(file: string): string[] {
  return readVectors<{ cases: readonly Case[] }>(file).cases.map(({ name, result }) => lineOf(file, name, result));
}

const begun = Date.parse('2026-11-23T20:00:00Z');

/** A clock that stands still while a request is under way, and else goes on to the next timer at once. */
export class FakeTime implements Time {
  /** Requests that are under way. */
  requests = 0;
  #now = begun;
  readonly #timers = new Map<() => void, number>();

  readonly now = (): number => this.#now;
  readonly random = (): number => 0;

  readonly after = (ms: number, callback: () => void): (() => void) => {
    this.#timers.set(callback, this.#now + ms);
    setImmediate(() => this.#idle());
    return () => void this.#timers.delete(callback);
  };

  advance(to: number): void {
    this.#now = Math.max(this.#now, to);
    for (const [callback, at] of [...this.#timers])
      if (at <= this.#now) {
        this.#timers.delete(callback);
        callback();
      }
  }

  #idle(): void {
    if (this.requests === 0 && this.#timers.size > 0) this.advance(Math.min(...this.#timers.values()));
  }
}

/** Plays answers to a client, and notes what it sent. */
export function scripted(answers: readonly Answer[], time: FakeTime) {
  const requests: { readonly line: string; readonly key: string | undefined; readonly url: URL }[] = [];
  const play = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const headers = new Headers(init.headers);
    const prefer = headers.get('prefer');
    requests.push({
      line: `${init.method} ${url.pathname}${url.search}${prefer === null ? '' : ` ${prefer}`}`,
      key: headers.get('idempotency-key') ?? undefined,
      url,
    });
    return answerOf(answers[Math.min(requests.length, answers.length) - 1], init, time);
  };
  return { play: play as typeof fetch, requests };
}

function answerOf(answer: Answer | undefined, { signal }: RequestInit, time: FakeTime): Response {
  if (answer === undefined || 'broken' in answer) {
    const code = answer?.broken === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET';
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  }
  if ('hang' in answer) {
    while (signal?.aborted !== true) time.advance(time.now() + 250);
    throw new DOMException('aborted', 'AbortError');
  }
  const { body, headers = {}, status, text = JSON.stringify(body) } = answer;
  time.requests += 1;
  // The members that a client reads.
  const response = {
    ...{ status, ok: status < 300, body: null },
    headers: new Headers({ date: new Date(time.now()).toUTCString(), ...headers }),
    text: async () => {
      time.requests -= 1;
      return text;
    },
  };
  return response as unknown as Response;
}

type Shown = Readonly<Record<string, unknown>>;

/** An outcome in the words of the wire. */
export function shownOutcome(outcome: object): Shown {
  const { acted, approval, check, code, kind, outputs, reason, reasons, replayed, retryable, runId } = outcome as Shown;
  const named = { kind, code, retryable, acted, check, outputs, reason, reasons, replayed, run_id: runId };
  const all = { ...named, approval: (approval as { id?: string } | undefined)?.id };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const inputs = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

async function playScript(
  { answers, steps, timeout_ms }: Omit<ScriptCase, 'name' | 'result'>,
  parts: Parts,
  tries?: number,
) {
  const time = new FakeTime();
  const { play, requests } = scripted(answers, time);
  const waits: number[] = [];
  const orb = new parts.Orb('http://orb.test', 'orb_test_x', {
    ...{ verify: 'never', fetch: play, time, tries },
    log: ({ event, ms = 0 }) => void (event === 'wait' && waits.push(ms)),
  });
  const options = { timeout: timeout_ms };
  const outcomes: object[] = [];
  const doing: Readonly<Record<Step, () => Promise<object>>> = {
    enqueue: () => orb.enqueue('notify.email@1.0.0', inputs, options),
    result: () => (outcomes.at(-1) as { result(): Promise<object> }).result(),
    run: () => orb.run('notify.email@1.0.0', inputs, options),
    settle: () => (outcomes.at(-1) as { settle(): Promise<object> }).settle(),
  };
  for (const step of steps) {
    const start = time.now();
    outcomes.push(await doing[step]());
    const spent = time.now() - start;
    if (spent > (timeout_ms ?? 120_000)) throw new Error(`${step} took ${spent} ms of the time of the call`);
  }
  const keys = new Set(requests.flatMap(({ key }) => key ?? []));
  return {
    outcomes: outcomes.map(shownOutcome),
    requests: requests.map(({ line }) => line),
    waits,
    keys: keys.size,
    urls: requests.map(({ url }) => url),
  };
}

/** Plays scripts. */
export async function scriptLines(file: 'approvals' | 'scripts', parts: Parts): Promise<string[]> {
  const lines: string[] = [];
  for (const one of readVectors<{ cases: readonly ScriptCase[] }>(file).cases) {
    const { urls: _, ...result } = await playScript(one, parts);
    lines.push(lineOf(file, one.name, result));
  }
  return lines;
}

/** Answers one problem each. */
export async function problemLines(parts: Parts): Promise<string[]> {
  const lines: string[] = [];
  const { cases } = readVectors<{ cases: readonly (Case & { answer: Answer; doubt?: true })[] }>('problems');
  for (const { answer, doubt, name } of cases) {
    const answers: readonly Answer[] = doubt ? [{ broken: 'reset' }, answer] : [answer];
    const { outcomes } = await playScript({ answers, steps: ['run'] }, parts, answers.length);
    lines.push(lineOf('problems', name, outcomes[0]));
  }
  return lines;
}

/** Reads lists. */
export async function pagingLines(parts: Parts): Promise<string[]> {
  const lines: string[] = [];
  for (const { name, pages } of readVectors<{ cases: readonly (Case & { pages: readonly Answer[] })[] }>('paging')
    .cases) {
    const time = new FakeTime();
    const { play, requests } = scripted(pages, time);
    const orb = new parts.Orb('http://orb.test', 'orb_test_x', { verify: 'never', fetch: play, time });
    const items: unknown[] = [];
    let error: string | undefined;
    try {
      for await (const run of orb.runs.list()) items.push(run['run_id']);
    } catch (thrown) {
      error = (thrown as { code: string }).code;
    }
    const cursors = requests.map(({ url }) => url.searchParams.get('cursor'));
    lines.push(lineOf('paging', name, { items, cursors, ...(error === undefined ? {} : { error }) }));
  }
  return lines;
}

/** Verifies callbacks. */
export async function webhookLines({ verifyWebhook: verify }: Parts): Promise<string[]> {
  const { cases } = readVectors<{
    cases: readonly (Case & { headers: Record<string, string>; body: string; by: Shown })[];
  }>('webhooks');
  return Promise.all(
    cases.map(async ({ body, by: { tolerance_s: toleranceS, ...by }, headers, name }) =>
      lineOf(
        'webhooks',
        name,
        await verify(headers, body, {
          ...by,
          ...(toleranceS === undefined ? {} : { toleranceS: toleranceS as number }),
        }),
      ),
    ),
  );
}

/** Reads server-sent events, whole and cut at every byte. */
export function streamLines({ sseReader: create }: Parts): string[] {
  return readVectors<{ cases: readonly (Case & { text: string })[] }>('streams').cases.map(({ name, text }) => {
    const bytes = new TextEncoder().encode(text);
    const read = (...parts: readonly Uint8Array[]): object => {
      const reader = create();
      const events = parts.flatMap((part) => reader.push(part)).map(({ data, event, id }) => [event, id, data]);
      return { events, id: reader.id };
    };
    const whole = canonical(read(bytes));
    for (let at = 0; at <= bytes.length; at++) {
      const cut = canonical(read(bytes.subarray(0, at), bytes.subarray(at)));
      if (cut !== whole) throw new Error(`${name}, cut at ${at}: ${cut}`);
    }
    return lineOf('streams', name, JSON.parse(whole));
  });
}

interface ReceiptVectors {
  readonly key_sets: Readonly<Record<string, { readonly keys: readonly Shown[] }>>;
  readonly documents: Readonly<Record<string, string>>;
  readonly cases: readonly ReceiptCase[];
}

/** Verifies receipts. */
export async function receiptLines({ verifyReceipt: verify }: Parts): Promise<string[]> {
  const { cases, documents, key_sets } = readVectors<ReceiptVectors>('receipts');
  const lines: string[] = [];
  for (const { base, edits, expected = {}, name, trust = 'pinned' } of cases) {
    const { orb_id: orbId, run_id: runId, ...rest } = expected;
    const named = { ...rest, ...(runId === undefined ? {} : { orbId, runId }) } as object;
    const verdict = await verify(applied(documents[base] ?? '', edits), key_sets[trust] ?? { keys: [] }, named);
    const result = verdict.verified ? { verified: true } : { verified: false, check: verdict.check };
    lines.push(lineOf('receipts', name, result));
  }
  return lines;
}

/** Verifies mutations of a receipt, and answers those that were accepted. */
export async function acceptedMutations({ verifyReceipt: verify }: Parts): Promise<readonly Edit[]> {
  const { base, count, skip, step } = readVectors<{
    base: string;
    count: number;
    step: number;
    skip: [number, number][];
  }>('mutations');
  const { documents, key_sets } = readVectors<ReceiptVectors>('receipts');
  const text = documents[base] ?? '';
  const found: Edit[] = [];
  for (let at = 0, place = 0; at < count; at++) {
    do place = (place + step) % text.length;
    while (skip.some(([from, to]) => place >= from && place < to));
    const letter = text.charAt(place);
    const put = /\d/.test(letter) ? String((Number(letter) + 1) % 10) : letter === 'x' ? 'y' : 'x';
    const verdict = await verify(applied(text, [[place, 1, put]]), key_sets['pinned'] ?? { keys: [] });
    if (verdict.verified) found.push([place, 1, put]);
  }
  return found;
}
