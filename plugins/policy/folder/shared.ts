import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, type Log } from '../../../kernel/index.ts';
import { revisionDigest, type Revision } from '../revisions/revision.ts';
import type { PolicyReads } from '../store.ts';
import { folderState, isBetween, type FolderState } from './compare.ts';
import { foundIn } from './read.ts';
import type { PolicyHome } from './home.ts';
import { clearFolder, FolderReadOnly, isThere, isWritable, writeFolder } from './write.ts';
import type { PolicyFile } from '../shapes.ts';

/** Dependencies of a shared folder. */
export interface SharedFolderOptions {
  readonly home: PolicyHome;
  readonly stateDir: string;
  readonly reads: Pick<PolicyReads, 'revision' | 'revisionRow'>;
  readonly log: Log;
}

// The record in the state dir, by which a start detects that the folder was changed while the server was down.
interface Kept {
  /** The active revision that the folder was last equal to. */
  readonly base?: string;
  /** That was the home's own folder, and not the shipped one. */
  readonly own: boolean;
  /** A revision that was being written into the folder. */
  readonly writing?: string;
}

/**
 * The folder of one of several nodes: a way in and out of the store, which holds the active revision. It is written when
 * another node activates a revision, unless it holds something that no revision of the store holds.
 */
export class SharedFolder {
  readonly #options: SharedFolderOptions;
  #kept: Kept = { own: false };
  #readOnly = false;

  constructor(options: SharedFolderOptions) {
    this.#options = options;
  }

  /** The active revision that the folder was last equal to. */
  get base(): string | undefined {
    return this.#kept.base;
  }

  /** Whether the last attempt to write the folder found that it takes no writes. */
  get readOnly(): boolean {
    return this.#readOnly;
  }

  /**
   * Reads the revision that the folder last matched. A folder with a stored revision may be overwritten, because the
   * store keeps it: so the files of a container image, which contain an earlier revision at each start, do not become
   * active again.
   */
  async open(active: string | undefined): Promise<void> {
    const { home, log, reads } = this.#options;
    const own = await isThere(home.own);
    const kept = await this.#read();
    if (kept !== undefined && (own || !kept.own)) this.#kept = kept;
    if (active === undefined) return;
    const { files, strangers } = await foundIn(home.read());
    const digest = revisionDigest(files);
    if (strangers.length > 0 || digest === active || digest === this.base) return;
    const shipped = home.served() !== home.own && this.base === undefined;
    if (!shipped && (await reads.revisionRow(digest)) === undefined) return;
    if (!shipped)
      log.warn(
        { folder: digest, revision: active },
        'the policies folder contains an earlier revision; it will be updated to the active one',
      );
    await this.note(digest);
  }

  /** Compares files of the folder with the active revision. */
  async compare(files: readonly PolicyFile[], active: string | undefined): Promise<FolderState> {
    const state = folderState({ digest: revisionDigest(files), active, base: this.base });
    const differs = state === 'changed' || state === 'apart';
    return active !== undefined && differs && (await this.#brokenOff(files)) ? 'behind' : state;
  }

  /** Compares the folder as it is now with the active revision. */
  async look(active: string | undefined): Promise<FolderState> {
    const { files, strangers } = await foundIn(this.#options.home.read());
    return strangers.length > 0 ? 'apart' : this.compare(files, active);
  }

  /** Notes the active revision that the folder is equal to. */
  async note(base: string): Promise<void> {
    const { home } = this.#options;
    await this.#keep({ base, own: home.served() === home.own });
  }

  /** Says whether the home has a folder of its own that takes no writes. Without one, the store alone holds the policies. */
  async refusesWrites(): Promise<boolean> {
    const { own } = this.#options.home;
    return (await isThere(own)) && !(await isWritable(own));
  }

  /**
   * Writes the active revision into the folder, unless the folder contains changes that were never active; with
   * `overwrite` always. Answers false if the folder must be checked again, because it was written or could not be
   * written.
   */
  async bring({ digest, files }: Revision, { overwrite = false } = {}): Promise<boolean> {
    const { home, log } = this.#options;
    const held = await foundIn(home.read());
    const state = held.strangers.length > 0 ? 'apart' : await this.compare(held.files, digest);
    if (state === 'equal') return this.note(digest).then(() => true);
    if (state !== 'behind' && !overwrite) return true;
    const before = this.#kept;
    try {
      await this.#keep({ ...before, writing: digest });
      await writeFolder(home.own, home.served() === home.own ? held.files : [], files);
      const written = new Set(files.map(({ path }) => path));
      const strangers = held.strangers.filter((path) => !written.has(path));
      if (overwrite) await clearFolder(home.own, strangers);
      await this.note(digest);
      this.#readOnly = false;
      // A removal right after this would leave the folder as it was at the last check.
      return false;
    } catch (err) {
      this.#readOnly = err instanceof FolderReadOnly;
      if (this.#readOnly) await this.#keep(before);
      const without = 'the policies folder cannot be written; the active revision decides without it';
      if (await isThere(home.own)) log.warn({ err, revision: digest }, without);
      return this.#readOnly;
    }
  }

  async #brokenOff(files: readonly PolicyFile[]): Promise<boolean> {
    const { reads } = this.#options;
    const { base, own, writing } = this.#kept;
    if (writing === undefined) return false;
    const to = await reads.revision(writing);
    const from = base === undefined || !own ? undefined : await reads.revision(base);
    return isBetween(files, from?.files ?? [], to?.files ?? []);
  }

  get #file(): string {
    return join(this.#options.stateDir, folderFile);
  }

  async #read(): Promise<Kept | undefined> {
    const text = await readFile(this.#file, 'utf8').catch(() => undefined);
    try {
      return text === undefined ? undefined : (JSON.parse(text) as Kept);
    } catch {
      return undefined;
    }
  }

  async #keep(kept: Kept): Promise<void> {
    if (JSON.stringify(kept) === JSON.stringify(this.#kept)) return;
    this.#kept = kept;
    const lost = (err: unknown): void =>
      this.#options.log.warn({ err }, 'the base revision of the policies folder could not be written to the state dir');
    await replaceFile(this.#file, `${JSON.stringify(kept)}\n`).catch(lost);
  }
}

/** Name of the file in the state dir that says what the folder was last equal to. */
export const folderFile = 'policies-folder.json';
