import { replay, replayed, type StoredAnswer } from './answer.ts';
import { keyLookup } from './key-lookup.ts';
import { inProgress, KeyLost } from './key-lost.ts';
import { ownerOf } from './owner.ts';
import { eraseKeys } from './retention.ts';
import journalStore, { type Intent, type KeyClaim, type KeyName, type KeyRow, type RunTaking } from './store.ts';
import type { ReceiptCheck } from '../facts/facts.ts';
import {
  canonical,
  digest,
  PlatformError,
  reply,
  type Reply,
  operation,
  type Awaitable,
  type Operation,
  type Row,
  type PluginScope,
  type Store,
  every,
} from '../../../kernel/index.ts';

export { KeyLost };

/** How long an answer is kept, unless its work says otherwise. */
export const answerKeptMs = 86_400_000;
const eraseEveryMs = 600_000;

/** A key in use by the request that holds it. */
export interface Claim {
  /** The key, with the code of the body. */
  readonly name: KeyName & { readonly fingerprint: string };
  /** Work without an effect claims its key durably before it begins, too. */
  readonly durable: boolean;
  /** Records the run or swap that began under the key. */
  begin(subject: string): void;
  /**
   * Claims the key durably, with the first intent of its run if it has one, and with the writes of others that ride with
   * it: all or none. Throws KeyLost when other work has the key; then this work must not begin.
   */
  take(intent?: Intent, beside?: readonly Operation[]): Promise<void>;
  /** Writes that store the key's answer; they commit with the receipt. `sent`: a provider may have done it (so unless given). */
  finished(answer: StoredAnswer, sent?: boolean): readonly Operation[];
  /** Writes that free the key: nothing was sent. */
  freed(): readonly Operation[];
  /** Writes that commit with the receipt in any case; the answer is kept then, whatever was sent. */
  ended?(): readonly Operation[];
  /** Ends the use of the key in this process. */
  release(): void;
}

/** The answer of a key, and the run or swap that gave it. */
export interface StoredFirst {
  readonly answer: StoredAnswer;
  readonly subject: string;
}

/** The result of presenting a key: its answer, or the right to work. */
export type Presented = StoredFirst | { readonly claim: Claim };

/** An answer, and whether it is the stored one of an earlier request. */
export interface MaybeReplayed<T> {
  readonly answer: T;
  readonly replayed: boolean;
}

/** How a key is kept. */
export interface Keeping {
  /** How long the key is kept with its answer; a day unless given. */
  readonly keptMs?: (answer?: StoredAnswer) => number;
  /** The stored answer of this work counts no more. */
  readonly stale?: string | undefined;
}

/** The dependencies of the keys. */
export interface KeysOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'store'> {
  /** Verifies the receipt of a repeated answer. */
  readonly check: ReceiptCheck;
}

// A key in use in this process; `reading`: whether it is known already is being read.
interface InUse {
  readonly code: BodyCode;
  subject: string;
  reading: Promise<unknown> | undefined;
}

// What distinguishes one body from another.
interface BodyCode {
  readonly fingerprint: string;
  /** The plain hash of earlier builds. */
  readonly plain: () => string;
}

/** Keeps Idempotency-Keys: one piece of work per (principal, method, path, key), its answer for 24 hours, sealed. */
export class IdempotencyKeys {
  readonly #store: Store;
  readonly #clock: KeysOptions['clock'];
  readonly #find: (name: KeyName) => Awaitable<KeyRow | undefined>;
  readonly #inUse = new Map<string, InUse>();
  readonly #check: ReceiptCheck;
  readonly #stopErasing: () => void;

  constructor({ store, clock, log, check }: KeysOptions) {
    this.#store = store;
    this.#check = check;
    this.#clock = clock;
    this.#find = keyLookup(store);
    this.#stopErasing = every(
      eraseEveryMs,
      () => eraseKeys(store, clock.now()),
      (error) => log.warn({ err: error }, 'the server could not delete expired idempotency keys'),
    );
  }

  /**
   * Presents a key with a body: of two simultaneous requests only one gets the claim. Answers at once where the store
   * does. Throws 409 `idempotency_in_progress` while its work goes on, 422 `idempotency_mismatch` for another body.
   */
  present(name: KeyName, body: unknown, keeping: Keeping = {}): Awaitable<Presented> {
    const code = this.#codeOf(body);
    const id = JSON.stringify([name.principal, name.method, name.path, name.key]);
    const used = this.#inUse.get(id);
    const again = (): Awaitable<Presented> => this.present(name, body, keeping);
    if (used?.reading !== undefined) return used.reading.then(again, again);
    if (used !== undefined) {
      expectSame(used.code.fingerprint, code);
      throw inProgress(used.subject);
    }
    // In use from before the read: the store may answer later, and another request ask meanwhile.
    const entry: InUse = { code, subject: '', reading: undefined };
    this.#inUse.set(id, entry);
    const presented = (row: KeyRow | undefined): Presented => {
      const known = this.#known(row, code);
      if (known === undefined)
        return { claim: this.#claim({ ...name, fingerprint: code.fingerprint }, id, { entry, keeping }) };
      this.#inUse.delete(id);
      return known;
    };
    try {
      const row = keeping.stale === undefined ? this.#find(name) : undefined;
      if (!(row instanceof Promise)) return presented(row);
      return this.#reading(entry, id, row.then(presented));
    } catch (error) {
      this.#inUse.delete(id);
      throw error;
    }
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
    const found = this.present(name, body);
    const presented = found instanceof Promise ? await found : found;
    if ('answer' in presented) return await this.#repeated(presented.answer);
    try {
      return { answer: await work(presented.claim), replayed: false };
    } catch (error) {
      if (!(error instanceof KeyLost)) throw error;
      return await this.#repeated(this.#firstOf(error.row, this.#codeOf(body)).answer);
    } finally {
      presented.claim.release();
    }
  }

  /** Finds the answer that is kept under a name, and repeats it: returns its body, or throws its problem. */
  async kept(name: KeyName): Promise<object | undefined> {
    const row = await this.#find(name);
    if (row === undefined || row.answer === null || row.expires_at <= this.#clock.now()) return undefined;
    return replay(this.#opened(row.answer), this.#check);
  }

  close(): void {
    this.#stopErasing();
  }

  // The same caller stored it under the same name, so it has the type that this work returns.
  async #repeated<T>(answer: StoredAnswer): Promise<MaybeReplayed<T>> {
    return { answer: (await replay(answer, this.#check)) as T, replayed: true };
  }

  // A plain hash of the inputs would let a reader of the store try guesses of them.
  #codeOf(body: unknown): BodyCode {
    const text = canonical(body);
    return { fingerprint: this.#store.sealer.mac('repeat', text), plain: () => digest(text) };
  }

  async #reading(entry: InUse, id: string, presented: Promise<Presented>): Promise<Presented> {
    entry.reading = presented;
    try {
      return await presented;
    } catch (error) {
      this.#inUse.delete(id);
      throw error;
    } finally {
      entry.reading = undefined;
    }
  }

  /** The result of a stored key for a request; undefined: the key is free. Throws as `present` does. */
  #known(row: KeyRow | undefined, code: BodyCode): StoredFirst | undefined {
    const free = row === undefined || (row.answer !== null && row.expires_at <= this.#clock.now());
    return free ? undefined : this.#firstOf(row, code);
  }

  // Work whose end is unknown is never begun again: it may have been done.
  #firstOf({ fingerprint, answer, subject }: KeyRow, code: BodyCode): StoredFirst {
    expectSame(fingerprint, code);
    if (answer === null) throw inProgress(subject);
    return { answer: this.#opened(answer), subject };
  }

  #opened(sealed: Uint8Array): StoredAnswer {
    return JSON.parse(Buffer.from(this.#store.sealer.open('idempotency', sealed)).toString()) as StoredAnswer;
  }

  #claim(
    name: KeyName & { readonly fingerprint: string },
    id: string,
    { entry, keeping: { keptMs = () => answerKeptMs, stale } }: { readonly entry: InUse; readonly keeping: Keeping },
  ): Claim {
    const owner = ownerOf(this.#store);
    const whole = (now: number, answer?: StoredAnswer): KeyClaim => ({
      ...name,
      ...owner,
      subject: entry.subject,
      expires_at: now + keptMs(answer),
    });
    return {
      name,
      durable: this.#store.shared,
      begin: (subject) => void (entry.subject = subject),
      take: (intent, beside = []) => {
        const now = this.#clock.now();
        const taking = { claim: whole(now), now, stale };
        if (intent === undefined) return this.#take(operation(journalStore, 'claimKey', taking));
        const both = { ...taking, intent };
        return beside.length === 0
          ? this.#take(operation(journalStore, 'claimRun', both))
          : this.#takeWith(name, both, beside);
      },
      finished: (answer) => {
        const now = this.#clock.now();
        const key = { ...whole(now, answer), now, stale, answer: JSON.stringify(answer) };
        return [operation(journalStore, 'finishKey', key)];
      },
      freed: () => [operation(journalStore, 'freeKey', { ...name, subject: entry.subject })],
      release: () => void this.#inUse.delete(id),
    };
  }

  async #take(claiming: Operation<Row | undefined>): Promise<void> {
    const [row] = await this.#store.write([claiming]);
    // Of its own table, in its own columns.
    if (row !== undefined) throw new KeyLost(row as Row & KeyRow);
  }

  // A claim that is lost undoes what rides with it.
  async #takeWith(name: KeyName, taking: RunTaking, beside: readonly Operation[]): Promise<void> {
    try {
      await this.#store.write([operation(journalStore, 'claimRunOrFail', taking), ...beside]);
    } catch (error) {
      const isLost = error instanceof PlatformError && error.code === 'idempotency_in_progress';
      const row = isLost ? await this.#find(name) : undefined;
      throw row === undefined ? error : new KeyLost(row);
    }
  }
}

function expectSame(fingerprint: string, code: BodyCode): void {
  if (fingerprint === code.fingerprint || fingerprint === code.plain()) return;
  throw new PlatformError('idempotency_mismatch', 'the Idempotency-Key was used with another body; use a new key');
}
