import { every, type BarScreen, type OnProgress, type Progress } from '../../kernel/index.ts';
import { printable, shortened, widthOf } from './width.ts';

const firstMs = 2000;
const everyMs = 100;
const tickMs = 1000;
const barWidth = 24;
// Erases the line of the cursor.
const eraseLine = '\r\u001b[K';
// Of a terminal that reports none.
const usualColumns = 80;

/** Progress in the last line of a terminal. It appears after two seconds of work. */
export class ProgressBar implements Progress {
  readonly #screen: BarScreen;
  readonly #now: () => number;
  /** When the work began, in milliseconds of the clock. */
  readonly #since: number;
  /** When the line was last written, in milliseconds of the clock; undefined: nothing is shown. */
  #drawn: number | undefined;

  /** `now`: milliseconds of any clock. */
  constructor(screen: BarScreen, now = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
    this.#since = now();
  }

  part(what: string): OnProgress {
    const label = printable(what);
    return (done, of) => {
      if (done >= of) return this.clear();
      this.#draw((columns) => barLine(label, done / of, columns));
    };
  }

  count(what: string): (amount: string) => void {
    const label = printable(what);
    return (amount) => this.#draw((columns) => shortened(`${label}: ${amount}`, columns - 1));
  }

  wait(what: string): () => void {
    const since = this.#now();
    const said = this.count(what);
    const tick = (): void => said(`${Math.round((this.#now() - since) / 1000)} s`);
    const stop = every(tickMs, tick, () => undefined);
    return () => {
      stop();
      this.clear();
    };
  }

  clear(): void {
    if (this.#drawn === undefined) return;
    this.#screen.write(eraseLine);
    this.#drawn = undefined;
  }

  #draw(line: (columns: number) => string): void {
    const now = this.#now();
    if (now - (this.#drawn ?? this.#since) < (this.#drawn === undefined ? firstMs : everyMs)) return;
    this.#drawn = now;
    this.#screen.write(eraseLine + line(this.#screen.columns || usualColumns));
  }
}

// A line that is wider than the terminal would wrap, and could not be erased.
function barLine(label: string, share: number, columns: number): string {
  const full = Math.floor(share * barWidth);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const bar = `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]${percent}`;
  const room = columns - bar.length - 2;
  if (room < 2) return percent.trimStart().slice(0, Math.max(0, columns - 1));
  return `${widthOf(label) <= room ? label : shortened(label, room)} ${bar}`;
}
