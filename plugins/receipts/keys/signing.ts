import type { ImmediateScope } from '../../../kernel/index.ts';
import { Chains, type Head } from '../issue/chain.ts';
import { Shapes } from '../issue/shapes.ts';
import { openSigningKeys, type SigningKeys, type SigningParts } from './signing-keys.ts';
import type { Appended } from '../issue/append-receipt.ts';
import { changeKeys, type KeyChange } from './change.ts';
import type { KeyChanged } from './key-schema.ts';
import { mirrorKeys } from '../format/key-file.ts';
import { keyTable } from './key-tables.ts';
import { openSigning } from './open-log.ts';
import { logReads } from '../log/stored/tables.ts';
import type { ToAppend } from '../issue/receipt-row.ts';

// Neither a statement nor a checkpoint, so the signature cannot be misused.
const probed = Buffer.from('agent-orb probe of a signing key');

/**
 * The writer's state in memory: keys, chains and the log. A batch is issued under the keys of the last committed batch;
 * changes of keys come after its receipts, and the new keys are used from the next batch on.
 */
export class Signing {
  readonly parts: SigningParts;
  #keys: SigningKeys;
  #next: SigningKeys | undefined;
  #mirrored = true;

  /** Opens keys and log. Throws ConfigError when the log is not the one this state dir has seen. */
  constructor(scope: ImmediateScope, newest: (orbisetId: string, origin: string) => Head | undefined) {
    const { connection } = scope;
    this.parts = {
      scope,
      reads: logReads(connection),
      table: keyTable(connection),
      chains: new Chains(newest),
      shapes: new Shapes(connection),
    };
    this.#keys = openSigning(this.parts);
  }

  /** The keys after the last committed batch. */
  get keys(): SigningKeys {
    return this.#keys;
  }

  /** Says whether a statement may name a key: the signing key, or one that was it when the statement was drafted. */
  isOurs(kid: string): boolean {
    return kid === this.#keys.signer.kid || this.parts.table.find(kid)?.role === 'receipt';
  }

  /** Issues a receipt. */
  issue(fact: ToAppend, appended: Appended): void {
    this.#keys.issue(fact, appended);
  }

  /** Changes keys or the log; no receipt of this batch may follow. */
  change(change: KeyChange, changed: KeyChanged): void {
    this.#next = changeKeys(change, changed, this.#next ?? this.#keys, this.parts);
  }

  /** Signs with the receipt key and the log key, and checks both signatures. Throws when either fails. */
  probe(): void {
    const { log, signer } = this.#keys;
    signer.signVerified(probed);
    log.probe(probed);
  }

  /** Signs the checkpoint over the additions of the batch. */
  seal(): void {
    (this.#next ?? this.#keys).log.seal();
  }

  /** Accepts the changes of the batch, which is durable now. */
  settle(): void {
    this.parts.chains.settle();
    if (this.#next !== undefined) {
      this.#keys = this.#next;
      this.#next = undefined;
      this.#mirrored = false;
    }
    this.#keys.log.settle();
    this.#mirror();
  }

  /** Drops the state in memory and opens the committed keys and log again. */
  reload(): void {
    this.#next = undefined;
    this.parts.chains.reset();
    this.parts.shapes.reset();
    this.#keys = openSigningKeys(this.parts);
    this.#mirrored = false;
  }

  // Published before the answers are sent: the holder of a receipt under a new key finds that key.
  #mirror(): void {
    if (this.#mirrored) return;
    mirrorKeys(this.parts.scope.stateDir, this.parts.table.all());
    this.#mirrored = true;
  }
}
