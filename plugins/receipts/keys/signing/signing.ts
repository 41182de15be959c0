import { atOnce, type Awaitable, type WriterScope } from '../../../../kernel/index.ts';
import { Chains, headReader } from '../../issue/chain.ts';
import { Shapes } from '../../issue/shapes.ts';
import { markedReceipts } from '../../log/rows/filter.ts';
import { Marks } from '../../../row-marks/contract.ts';
import { openOwn, settleOwn } from './open-shared.ts';
import { openFound, openKeys, withIssue, type HeldKeys, type SigningKeys, type SigningParts } from '../signing-keys.ts';
import type { Appended, ToAppend } from '../../issue/append-receipt.ts';
import { changeKeys, type Change } from './change.ts';
import { mirrorKeys } from '../../verifier/trust-store/key-file.ts';
import { keyTable } from '../key-tables.ts';
import { openSigning } from './open-log.ts';
import { replaceCheckpointFile } from '../../log/stored/checkpoint-file.ts';
import { markRestored } from '../../log/stored/restored.ts';
import { writerReads } from '../../log/stored/tables.ts';
import type { StoredKey } from '../../issue/signer.ts';

// Neither a statement nor a checkpoint, so the signature cannot be misused.
const probed = Buffer.from('agent-orb probe of a signing key');

/** Opened keys, and the stored keys that they are of. */
type Open = { readonly keys: SigningKeys | HeldKeys; readonly stored: readonly StoredKey[] };

/**
 * The writer's state in memory: keys, chains and the log. A batch is issued under the keys of the last committed batch;
 * changes of keys come after its receipts, and the new keys are used from the next batch on.
 */
export class Signing {
  readonly parts: SigningParts;
  readonly #marks: Marks<'orbiset_id' | 'orb_id'>;
  #now: Open | undefined;
  #next: Open | undefined;
  #mirrored = true;
  #settleStart: (() => void) | undefined;

  constructor(scope: WriterScope) {
    const { connection } = scope;
    this.#marks = new Marks(markedReceipts, scope);
    this.parts = {
      scope,
      direct: atOnce(connection),
      reads: writerReads(connection),
      table: keyTable(connection),
      chains: new Chains(headReader(connection)),
      shapes: new Shapes(connection),
      marks: this.#marks,
    };
  }

  /** Opens keys and log, made at the first start. Throws ConfigError when the log is not the one this state dir has seen. */
  async open(): Promise<void> {
    const { keys, settle } = await openSigning(this.parts);
    await this.#use(keys);
    this.#settleStart = settle;
  }

  /** Whether this process has a log; where the store is shared, it opens one with its first entry. */
  get isOpen(): boolean {
    return this.#now !== undefined && 'log' in this.#now.keys;
  }

  /** The keys after the last committed batch, and the log. */
  get keys(): SigningKeys {
    const { held } = this;
    if (!('log' in held)) throw new Error('the log of this process is not open yet');
    return held;
  }

  /** The keys after the last committed batch. */
  get held(): SigningKeys | HeldKeys {
    if (this.#now === undefined) throw new Error('the signing keys are not open');
    return this.#now.keys;
  }

  /** Opens the log of this process, for the entry that comes next in the same batch. */
  async openLog(): Promise<void> {
    const { stateDir } = this.parts.scope;
    const keys = await openOwn(this.parts);
    await this.#use(keys);
    this.#settleStart = () => settleOwn(stateDir, keys);
  }

  /**
   * Says whether a statement may name a key: the signing key, or the signing key of the time when the statement was
   * drafted.
   */
  isOurs(kid: string): boolean {
    const { signer } = this.held;
    return kid === signer.kid || this.#stored.some((key) => key.kid === kid && key.role === 'receipt');
  }

  /** Reads the data that issuing a receipt needs and that is not in memory yet. */
  prepare({ orbiset_id: orbisetId = '', statement }: ToAppend): Awaitable<void> {
    if (typeof statement === 'string') return undefined;
    const { chains, shapes } = this.parts;
    // At once: the next statement may come with the number alone.
    const shape = shapes.textOf(statement.shape);
    const loading = chains.load(orbisetId, this.keys.log.origin);
    // Most are there.
    return loading instanceof Promise ? loading.then(() => shapes.load(shape)) : shapes.load(shape);
  }

  /** Issues a receipt that is prepared. */
  issue(fact: ToAppend, appended: Appended): void {
    this.keys.issue(fact, appended);
  }

  /** Changes keys or the log; no receipt of this batch may follow. */
  async change(change: Change): Promise<void> {
    const keys = await changeKeys(change, this.#latest(), this.parts);
    this.#next = await this.#opened(keys);
  }

  /** Takes the keys that other processes have changed, from the next batch on. */
  async learn(): Promise<void> {
    const found = await openKeys(this.parts);
    const { held } = this;
    const keys = 'log' in held ? withIssue({ ...held, ...found }, this.parts) : found;
    this.#next = await this.#opened(keys);
  }

  #latest(): SigningKeys {
    const next = this.#next?.keys;
    return next !== undefined && 'log' in next ? next : this.keys;
  }

  /** Signs with the receipt key and the log key, and checks both signatures. Throws when either fails. */
  probe(): void {
    this.held.signer.signVerified(probed);
    if (this.isOpen) this.keys.log.probe(probed);
  }

  /**
   * Writes down that the store lost entries that this process has signed: the next start opens a new shard, whose first
   * entry holds the last checkpoint, and gives no index of this one again.
   */
  wentBack(): void {
    const { stateDir } = this.parts.scope;
    const note = this.isOpen ? this.keys.log.note : undefined;
    if (note !== undefined) replaceCheckpointFile(stateDir, note);
    markRestored(stateDir);
  }

  /** Signs the checkpoint over the additions of the batch. */
  seal(): void {
    this.#latest().log.seal();
  }

  /** Accepts the changes of the batch, which is durable now. */
  settle(): void {
    this.parts.chains.settle();
    this.parts.shapes.settle();
    this.#settleStart?.();
    this.#settleStart = undefined;
    if (this.#next !== undefined) {
      this.#now = this.#next;
      this.#next = undefined;
      this.#mirrored = false;
    }
    if (this.isOpen) this.keys.log.settle();
    this.#mirror();
  }

  /** Drops the state in memory and opens the committed keys and log again. */
  async reload(): Promise<void> {
    this.#next = undefined;
    this.#settleStart = undefined;
    this.parts.chains.reset();
    this.parts.shapes.reset();
    this.#marks.reset();
    await this.#use(await openFound(this.parts));
  }

  get #stored(): readonly StoredKey[] {
    return this.#now?.stored ?? [];
  }

  async #opened(keys: Open['keys']): Promise<Open> {
    return { keys, stored: await this.parts.table.all() };
  }

  async #use(keys: Open['keys']): Promise<void> {
    this.#now = await this.#opened(keys);
    this.#mirrored = false;
  }

  // Published before the answers are sent: the holder of a receipt under a new key finds that key.
  #mirror(): void {
    if (this.#mirrored) return;
    mirrorKeys(this.parts.scope.stateDir, this.#stored);
    this.#mirrored = true;
  }
}
