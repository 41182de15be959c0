import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical, compileLater, operation, type Log, type PluginScope } from '../../kernel/index.ts';
import type { ManifestState, NamespaceGrant } from './contract.ts';
import { manifestSignature, verifiesManifest, type ManifestSignature } from './manifest-signature.ts';
import ledgerStore from './store.ts';
import type { Orb } from '../runtime/contract.ts';

const faultsOf = compileLater(manifestSignature);

/** What reading signatures needs. */
export interface SignatureOptions extends Pick<PluginScope<unknown, never>, 'home' | 'store'> {
  readonly orbs: ReadonlyMap<string, Orb>;
  readonly log: Pick<Log, 'warn'>;
  /** Stored signatures, by orb_id: JSON text. */
  readonly kept: ReadonlyMap<string, string>;
  /** The current grant of a namespace. */
  readonly grantOf: (namespace: string) => NamespaceGrant | undefined;
}

/** The signatures of the manifests of this installation. */
export class Signatures {
  readonly #options: SignatureOptions;
  /** From the file next to the manifest. */
  readonly #filed = new Map<string, ManifestSignature>();
  /** Sent with a publication. */
  readonly #kept = new Map<string, ManifestSignature>();
  /** The verified signature and its manifest: a manifest that was never used may be replaced. */
  readonly #signed = new Map<string, { readonly orb: Orb | undefined; readonly signed: boolean }>();

  constructor(options: SignatureOptions) {
    this.#options = options;
    this.learn(options.kept);
  }

  /** Takes the stored signatures: another node may have kept some. */
  learn(kept: SignatureOptions['kept']): void {
    for (const [orbId, text] of kept) this.#kept.set(orbId, JSON.parse(text) as ManifestSignature);
    this.forget();
  }

  /** Reads the file of every Orb. */
  async open(): Promise<void> {
    for (const orbId of this.#options.orbs.keys()) await this.#read(orbId);
  }

  /** Says whether the manifest of an Orb is signed under the key granted now. */
  isSigned(orbId: string): boolean {
    const orb = this.#options.orbs.get(orbId);
    const known = this.#signed.get(orbId);
    if (known !== undefined && known.orb === orb) return known.signed;
    const signed = this.#valid(orbId) !== undefined;
    this.#signed.set(orbId, { orb, signed });
    return signed;
  }

  /** Drops the cached verifications after a namespace changed. */
  forget(): void {
    this.#signed.clear();
  }

  /** Describes the manifest of an Orb; undefined: there is no such Orb. */
  manifest(orbId: string): ManifestState | undefined {
    const orb = this.#options.orbs.get(orbId);
    if (orb === undefined) return undefined;
    const signature = this.#valid(orbId) ?? this.#filed.get(orbId) ?? this.#kept.get(orbId);
    const signed = this.isSigned(orbId);
    return { orb_id: orbId, digest: orb.digest, ...(signature === undefined ? {} : { signature }), signed };
  }

  /** Reads the file again and, when given, checks and keeps an envelope. */
  async offer(
    orbId: string,
    given?: ManifestSignature,
  ): Promise<{ readonly given?: 'valid' | 'invalid'; readonly signed: boolean }> {
    if (this.#options.orbs.has(orbId)) await this.#read(orbId);
    this.#signed.delete(orbId);
    if (given === undefined) return { signed: this.isSigned(orbId) };
    const valid = this.#verifies(orbId, given);
    if (valid) {
      const { payload, payloadType: type, signatures } = given;
      const envelope = JSON.stringify({ payloadType: type, payload, signatures });
      await this.#options.store.write([operation(ledgerStore, 'putSignature', { orb_id: orbId, envelope })]);
      this.#kept.set(orbId, { payloadType: type, payload, signatures });
    }
    this.#signed.delete(orbId);
    return { given: valid ? 'valid' : 'invalid', signed: this.isSigned(orbId) };
  }

  async #read(orbId: string): Promise<void> {
    this.#filed.delete(orbId);
    const text = await readFile(join(this.#options.home, 'data', 'orbs', `${orbId}.sig`), 'utf8').catch(
      () => undefined,
    );
    if (text === undefined) return;
    const envelope = parsed(text);
    if (envelope === undefined)
      this.#options.log.warn({ orb_id: orbId }, `the signature file of ${orbId} is not a DSSE envelope`);
    else this.#filed.set(orbId, envelope);
  }

  #valid(orbId: string): ManifestSignature | undefined {
    return [this.#filed.get(orbId), this.#kept.get(orbId)].find(
      (envelope) => envelope !== undefined && this.#verifies(orbId, envelope),
    );
  }

  #verifies(orbId: string, envelope: ManifestSignature): boolean {
    const orb = this.#options.orbs.get(orbId);
    const grant = orb === undefined ? undefined : this.#options.grantOf(orb.namespace);
    if (orb === undefined || grant?.state !== 'granted' || grant.manifest_key === undefined) return false;
    return verifiesManifest(envelope, canonical(orb.manifest), grant.manifest_key);
  }
}

function parsed(text: string): ManifestSignature | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // The cast is safe: the schema above describes the type.
    return faultsOf(value).length === 0 ? (value as ManifestSignature) : undefined;
  } catch {
    return undefined;
  }
}
