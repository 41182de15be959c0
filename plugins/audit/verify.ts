import { given } from '../../kernel/index.ts';
import { revisionDigest } from '../policy/contract.ts';
import {
  isRecord,
  manifestFile,
  parseManifest,
  parseStrict,
  readSignedManifest,
  verifyReceipts,
  worstOf,
  type FolderOptions,
  type FolderReport,
  type ReceiptFile,
  type Trust,
} from '../receipts/contract.ts';
import { Damaged, readArchive, type Entry } from './archive.ts';
import { sha256, Sums } from './bundle.ts';
import { bundleFormat, manifestPath, receiptsFolder, signedPath, type BundleManifest } from './format.ts';

/** The report on a bundle: that of its receipts, and of the archive that holds them. */
export interface BundleReport extends Omit<FolderReport, 'consistent'> {
  /** Absent when the manifest could not be read, or its signature not be verified. */
  readonly bundle?: Pick<
    BundleManifest,
    'installation' | 'from' | 'to' | 'tenant' | 'exported_at' | 'files' | 'left_out'
  > & {
    /** Id of the key that signed it. */
    readonly kid: string;
  };
  /** What is wrong with the archive. */
  readonly fault?: string;
}

type Exit = FolderReport['exit'];

/**
 * Verifies a bundle, offline and as it is read: every byte of the archive by the lists of digests, those by the manifest,
 * the manifest by a pinned receipt key, and each receipt with its place in the log. Trusts no key of the archive.
 */
export async function verifyBundle(
  archive: AsyncIterable<Uint8Array>,
  trust: Trust,
  options: FolderOptions = {},
): Promise<BundleReport> {
  const reading = new ReadBundle(archive, trust);
  const first = await reading.first();
  const { consistent: _, ...found } = await verifyReceipts(reading.receipts(first), reading.claim, trust, options);
  await reading.close();
  const { exit: own, fault, manifest, kid } = reading.end();
  // A time without a receipt is evidence too.
  const empty = found.receipts === 0 && found.exit === 3;
  const exit = worstOf(new Set<Exit>([empty ? 0 : found.exit, own]));
  const limits = [...found.limits, ...(manifest?.left_out ?? []).map(({ part, why }) => `${part} is left out: ${why}`)];
  const accepted = limits.length > 0 ? 'VERIFIED-WITH-LIMITS' : 'VERIFIED';
  const bundle =
    manifest === undefined || kid === undefined
      ? undefined
      : { ...pick(manifest), files: manifest.files, left_out: manifest.left_out, kid };
  return { ...found, ...given({ bundle, fault }), overall: exit === 0 ? accepted : 'REJECTED', exit, limits };
}

function pick({ installation, from, to, tenant, exported_at }: BundleManifest) {
  return { installation, from, to, ...given({ tenant }), exported_at };
}

// What was read of a bundle so far: the lines that the next list of digests must have, and the lists before.
class ReadBundle {
  /** What the receipts of the bundle claim to be. */
  claim: ReturnType<typeof parseManifest> | undefined;
  readonly #entries: AsyncIterator<Entry>;
  readonly #trust: Trust;
  readonly #times = new Set<number>();
  readonly #sums = new Sums();
  #listed: string | undefined;
  #manifest: BundleManifest | undefined;
  #kid: string | undefined;
  #fault: { readonly exit: Exit; readonly fault: string } | undefined;

  constructor(archive: AsyncIterable<Uint8Array>, trust: Trust) {
    this.#entries = readArchive(archive)[Symbol.asyncIterator]();
    this.#trust = trust;
  }

  /** Reads up to the first receipt. */
  async first(): Promise<Entry | undefined> {
    for (;;) {
      const entry = await this.#next();
      if (entry === undefined || isReceipt(entry)) return entry;
    }
  }

  /** Reads the receipts, and all that comes after them. */
  async *receipts(first: Entry | undefined): AsyncGenerator<ReceiptFile> {
    for (let entry = first; entry !== undefined; entry = await this.#next())
      if (isReceipt(entry)) yield { path: entry.path.slice(receiptsFolder.length), text: entry.content.toString() };
  }

  /** Gives the source back, when not all of it was read. */
  async close(): Promise<void> {
    await this.#entries.return?.();
  }

  /** Says what is wrong with the archive, after its last file. */
  end(): { exit: Exit; fault?: string; manifest?: BundleManifest; kid?: string } {
    if (this.#fault === undefined && this.#manifest === undefined) this.#refuse('it has no signed manifest at its end');
    const { exit = 0, fault } = this.#fault ?? {};
    return { exit, ...given({ fault, manifest: this.#manifest, kid: this.#kid }) };
  }

  async #next(): Promise<Entry | undefined> {
    if (this.#fault !== undefined) return undefined;
    try {
      const next = await this.#entries.next();
      if (next.done === true) return undefined;
      this.#take(next.value);
      return next.value;
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      this.#refuse(error.message, this.#sums.files === 0 ? 2 : 1);
      return undefined;
    }
  }

  #take({ content, path, seconds }: Entry): void {
    this.#times.add(seconds);
    if (this.#manifest !== undefined) return this.#refuse(`${path} comes after the signed manifest`);
    if (path === signedPath) return this.#takeSigned(content.toString());
    if (this.#listed !== undefined) return this.#refuse(`${path} comes after the manifest`);
    if (path === manifestPath) this.#listed = content.toString();
    else if (path.startsWith('sums/')) this.#takeSum(path, content.toString());
    else this.#takePart(path, content);
  }

  #takePart(path: string, content: Buffer): void {
    this.#sums.count({ path, content });
    const fault = path === receiptsFolder + manifestFile ? this.#readClaim(content) : misnamed(path, content);
    if (fault !== undefined) this.#refuse(fault);
  }

  #readClaim(content: Buffer): string | undefined {
    try {
      this.claim = parseManifest(content.toString());
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #takeSum(path: string, text: string): void {
    const due = this.#sums.isOpen ? this.#sums.list() : undefined;
    if (path !== due?.path || text !== due.content)
      this.#refuse(`the files before ${path} are not those that it lists`);
  }

  #takeSigned(text: string): void {
    const signed = readSignedManifest(text, this.#trust);
    if ('fault' in signed) return this.#refuse(signed.fault, signed.exit);
    const listed = Buffer.from(signed.payload).toString();
    if (listed !== this.#listed) return this.#refuse(`${manifestPath} is not the manifest that was signed`);
    // The envelope is written in one way.
    if (text !== `${JSON.stringify(signed.envelope)}\n`) return this.#refuse(`${signedPath} was changed`);
    const manifest = parseStrict(listed);
    if (!isRecord(manifest) || manifest['format'] !== bundleFormat) return this.#refuse('the format is unknown', 2);
    // The cast is safe: what this program signs has this form.
    this.#manifest = manifest as unknown as BundleManifest;
    this.#kid = signed.kid;
    const differs = this.#differs(this.#manifest);
    if (differs !== undefined) this.#refuse(differs);
  }

  #differs({ bytes, exported_at, files, sums }: BundleManifest): string | undefined {
    const seconds = Math.floor(Date.parse(exported_at) / 1000);
    if (this.#sums.isOpen) return 'files before the manifest are in no list';
    if (JSON.stringify(sums) !== JSON.stringify(this.#sums.lists))
      return 'the lists of digests are not those of the manifest';
    if (files !== this.#sums.files || bytes !== this.#sums.bytes)
      return 'the files are not as many as the manifest says';
    return this.#times.size === 1 && this.#times.has(seconds) ? undefined : 'the times of files were changed';
  }

  #refuse(fault: string, exit: Exit = 1): void {
    this.#fault ??= { exit, fault };
  }
}

function isReceipt({ path }: Entry): boolean {
  return path.startsWith(`${receiptsFolder}receipts/`) && path.endsWith('.json');
}

// Files that are named by their digest, so that receipts lead to them.
function misnamed(path: string, content: Buffer): string | undefined {
  const [, folder, hex = ''] = /^(manifests|policies)\/(?:\d{6}-)?([0-9a-f]{64})\.json$/.exec(path) ?? [];
  if (folder === 'manifests' && sha256(content) !== hex) return `${path} does not have the digest in its name`;
  const revision = folder === 'policies' ? parseStrict(content.toString()) : undefined;
  if (!isRecord(revision) || !Array.isArray(revision['files'])) return undefined;
  const files = revision['files'] as Parameters<typeof revisionDigest>[0];
  return revisionDigest(files) === `sha256:${hex}` ? undefined : `${path} does not have the text of its revision`;
}
