import { canonical, digest } from '../../tools/canonical.ts';
import type { Clock } from '../../tools/clock.ts';
import { PlatformError } from '../../error.ts';
import { reply, type Reply } from '../../http/route.ts';
import type { Log } from '../../tools/log.ts';
import { operation, type Operation, type Store } from '../../store/contract.ts';
import { every } from '../../tools/every.ts';
import { replay, replayed, type ReceiptCheck, type StoredAnswer } from './answer.ts';
import journalStore, { type KeyClaim, type KeyName, type KeyRow } from './store.ts';

const day = (): number => 86_400_000;
const eraseEveryMs = 600_000;

/** A key in use by the request that holds it. */
export interface Claim {
  /** Records the run or swap that began under the key. */
  begin(subject: string): void;
  /** Writes that claim the key; they commit with the first intent. */
  claimed(): readonly Operation[];
  /** Writes that store the key's answer; they commit with the receipt. */
  finished(answer: StoredAnswer): readonly Operation[];
  /** Writes that free the key: nothing was sent. */
  freed(): readonly Operation[];
  /** Ends the use of the key in this process. */
  release(): void;
}

/** The result of presenting a key: its answer, or the right to work. */
export type Presented = { readonly answer: StoredAnswer } | { readonly claim: Claim };

/** An answer, and whether it is the stored one of an earlier request. */
export interface MaybeReplayed<T> {
  readonly answer: T;
  readonly replayed: boolean;
}

/** How a key is kept. */
export interface Keeping {
  /** How long the key is kept with its answer; a day unless given. */
  readonly keptMs?: (answer?: StoredAnswer) => number;
  /** The stored row of the key counts no more. */
  readonly fresh?: boolean;
}

/** The dependencies of the keys. */
export interface KeysOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Verifies the receipt of a repeated answer. */
  readonly check: ReceiptCheck;
}

/** Keeps Idempotency-Keys: one piece of work per (principal, method, path, key), its answer for 24 hours, sealed. */
export class IdempotencyKeys {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #reads: { findKey(name: KeyName): KeyRow | undefined };
  readonly #inUse = new Map<string, { readonly fingerprint: string; subject: string }>();
  readonly #check: ReceiptCheck;
  readonly #stopErasing: () => void;

  constructor({ store, clock, log, check }: KeysOptions) {
    this.#store = store;
    this.#check = check;
    this.#clock = clock;
    this.#reads = store.reads(journalStore);
    this.#stopErasing = every(
      eraseEveryMs,
      () => store.write([operation(journalStore, 'eraseKeys', { now: clock.now() })]),
      (error) => log.warn({ err: error }, 'expired idempotency keys were not erased'),
    );
  }

  /**
   * Presents a key with a body. Synchronous, so that of two simultaneous requests only one gets the claim. Throws 409
   * `idempotency_in_progress` while its work goes on, 422 `idempotency_mismatch` for another body.
   */
  present(name: KeyName, body: unknown, { keptMs = day, fresh = false }: Keeping = {}): Presented {
    const text = canonical(body);
    // A plain hash of the inputs would let a reader of the store try guesses of them.
    const fingerprint = this.#store.sealer.mac('repeat', text);
    const id = JSON.stringify([name.principal, name.method, name.path, name.key]);
    const used = this.#inUse.get(id);
    const row = used === undefined && !fresh ? this.#reads.findKey(name) : undefined;
    // Work whose end is unknown is never begun again: it may have been done.
    const kept = row?.answer === null || (row?.expires_at ?? 0) > this.#clock.now();
    const known = kept ? row : undefined;
    const before = used ?? known;
    if (before !== undefined && before.fingerprint !== fingerprint && before.fingerprint !== digest(text))
      throw new PlatformError('idempotency_mismatch', 'the Idempotency-Key was used with another body; use a new key');
    if (known !== undefined && known.answer !== null) return { answer: this.#opened(known.answer) };
    if (before !== undefined) throw inProgress(before.subject);
    const entry = { fingerprint, subject: '' };
    this.#inUse.set(id, entry);
    return { claim: this.#claim({ ...name, fingerprint }, id, { entry, keptMs }) };
  }

  /**
   * Does work once per key: repeats the first answer, or does the work under the claim. Without a key it does the work.
   */
  once<T extends object>(
    name: KeyName | undefined,
    body: unknown,
    work: (claim?: Claim) => Promise<T>,
  ): Promise<T | Reply> {
    if (name === undefined) return work();
    return this.told(name, body, work).then(({ answer, replayed: again }) =>
      again ? reply({ body: answer, headers: replayed }) : answer,
    );
  }

  /** Does work once per key, and says whether the answer is the first one, repeated. */
  async told<T extends object>(
    name: KeyName,
    body: unknown,
    work: (claim: Claim) => Promise<T>,
  ): Promise<MaybeReplayed<T>> {
    const presented = this.present(name, body);
    // The same caller stored it under the same name, so it has the type that this work returns.
    if ('answer' in presented) return { answer: replay(presented.answer, this.#check) as T, replayed: true };
    try {
      return { answer: await work(presented.claim), replayed: false };
    } finally {
      presented.claim.release();
    }
  }

  close(): void {
    this.#stopErasing();
  }

  #opened(sealed: Uint8Array): StoredAnswer {
    return JSON.parse(Buffer.from(this.#store.sealer.open('idempotency', sealed)).toString()) as StoredAnswer;
  }

  #claim(
    name: KeyName & { readonly fingerprint: string },
    id: string,
    { entry, keptMs }: { readonly entry: { subject: string }; readonly keptMs: NonNullable<Keeping['keptMs']> },
  ): Claim {
    const whole = (answer?: StoredAnswer): KeyClaim => ({
      ...name,
      subject: entry.subject,
      expires_at: this.#clock.now() + keptMs(answer),
    });
    return {
      begin: (subject) => void (entry.subject = subject),
      claimed: () => [operation(journalStore, 'claimKey', whole())],
      finished: (answer) => [
        operation(journalStore, 'finishKey', { ...whole(answer), answer: JSON.stringify(answer) }),
      ],
      freed: () => [operation(journalStore, 'freeKey', name)],
      release: () => void this.#inUse.delete(id),
    };
  }
}

/** Reads the header Idempotency-Key: bare, or a quoted string; 1–255 visible ASCII characters. Throws 400. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(', ') : header.trim();
  const key = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') ?? text;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = 'must be 1 to 255 visible ASCII characters, bare or quoted';
  throw new PlatformError('invalid_parameter', `Idempotency-Key ${detail}`, {
    errors: [{ pointer: '#/idempotency-key', detail }],
  });
}

function inProgress(subject: string): PlatformError {
  const id = subject.startsWith('run_') ? { run_id: subject } : {};
  return new PlatformError(
    'idempotency_in_progress',
    'the first request with this Idempotency-Key is still running; ask again',
    {
      retry_after: 1,
      ...id,
    },
  );
}

/** A request that may have an Idempotency-Key. */
export interface OnceRequest {
  readonly principal: string;
  readonly method: string;
  /** The path with the ids of the request. */
  readonly path: string;
  /** The unparsed header Idempotency-Key. */
  readonly header: string | string[] | undefined;
  readonly body: unknown;
}

/**
 * Does work once per Idempotency-Key, or always when there is no key. `work` gets the function that makes the writes
 * that keep its answer for 24 hours: they commit with its receipt. Throws 400 for a malformed key, 409
 * `idempotency_in_progress` while the first request runs, 422 `idempotency_mismatch` for another body.
 */
export type Once = <T extends object>(
  request: OnceRequest,
  work: (kept: (answer: T) => readonly Operation[]) => Promise<T>,
) => Promise<MaybeReplayed<T>>;

/** Lets plugins use the keys as the runtime does. */
export function createOnce(keys: IdempotencyKeys): Once {
  return async <T extends object>(
    request: OnceRequest,
    work: (kept: (answer: T) => readonly Operation[]) => Promise<T>,
  ): Promise<MaybeReplayed<T>> => {
    const { header, body, ...name } = request;
    const key = idempotencyKey(header);
    if (key === undefined) return { answer: await work(() => []), replayed: false };
    return keys.told({ ...name, key }, body, (claim) => {
      claim.begin(name.path);
      return work((answer) => claim.finished({ body: answer }));
    });
  };
}
