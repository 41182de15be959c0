import { readFile, stat } from 'node:fs/promises';
import { every, timestamp, type Clock, type Log } from '../../../kernel/index.ts';
import { concernOf, type Concern } from '../../runtime/contract.ts';
import { readPrices, type Prices } from './file.ts';

const pollMs = 1000;

/** Where the prices are from, and who hears of their changes. */
export interface PriceWatchOptions {
  /** As it was read at the start; undefined: there was no file. */
  readonly prices: Prices | undefined;
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'error' | 'info'>;
}

/** The prices in force: those of the newest file without faults. */
export class PriceWatch {
  readonly #options: PriceWatchOptions;
  #prices: Prices | undefined;
  /** The state of the file when it was last seen, and when it was last read. */
  #seen: string | undefined;
  #read: string | undefined;
  #fault: { readonly at: number; readonly detail: string } | undefined;

  constructor(options: PriceWatchOptions) {
    this.#options = options;
    this.#prices = options.prices;
  }

  get prices(): Prices | undefined {
    return this.#prices;
  }

  /** Begins to look at the file each second; returns what ends it. */
  begin(): () => void {
    return every(
      pollMs,
      () => this.look(),
      (error) => this.#refuse([`it cannot be read (${(error as Error).message})`]),
    );
  }

  /** Takes a changed file into use, once it no longer changes. One with faults leaves the prices before in force. */
  async look(): Promise<void> {
    const { path } = this.#options;
    const state = await stateOf(path);
    const rests = state === this.#seen;
    this.#seen = state;
    // A writer may not be done with it.
    if (!rests || state === this.#read) return;
    this.#read = state;
    if (state === gone) {
      if (this.#prices !== undefined) this.#refuse(['there is no such file']);
      return;
    }
    const faults: string[] = [];
    const found = readPrices(await readFile(path), path, faults);
    if (found === undefined) this.#refuse(faults);
    else this.#take(found);
  }

  /** Tells of a file that was not taken into use. */
  get concern(): Concern {
    return {
      name: 'faulty_prices',
      scope: 'providers:read',
      link: '/providers',
      find: () => {
        const fault = this.#fault;
        if (fault === undefined) return concernOf([]);
        const { at, detail } = fault;
        return concernOf([{ id: 'prices', title: 'price file', reason: detail, at: timestamp(at) }]);
      },
    };
  }

  #take(found: Prices): void {
    const changed = found.digest !== this.#prices?.digest;
    this.#fault = undefined;
    this.#prices = found;
    if (changed)
      this.#options.log.info({ digest: found.digest }, 'the price file has changed; its prices are in force');
  }

  #refuse(faults: readonly string[]): void {
    const { clock, log, path } = this.#options;
    const told = faults.slice(0, 3).join('; ');
    const detail = `the price file ${path} is not in use, the prices before stay in force: ${told}`;
    if (this.#fault?.detail === detail) return;
    this.#fault = { at: clock.now(), detail };
    log.error({ faults: faults.slice(0, 10) }, detail);
  }
}

const gone = 'gone';

async function stateOf(path: string): Promise<string> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone;
    throw error;
  }
}
