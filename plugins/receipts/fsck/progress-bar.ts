import type { OnProgress } from './progress.ts';

/** A terminal, such as standard error. */
export interface Screen {
  readonly columns?: number;
  write(text: string): unknown;
}

const firstMs = 2000;
const everyMs = 100;
const barWidth = 24;
const eraseLine = '\r\u001b[K';

/** A progress bar in the last line of a terminal. It appears after two seconds of work. */
export class ProgressBar {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #since: number;
  #drawn: number | undefined;

  /** `now`: milliseconds of any clock. */
  constructor(screen: Screen, now = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
    this.#since = now();
  }

  /** Makes the receiver of the progress of one part of the work. */
  part(what: string): OnProgress {
    // The name may be a stranger's.
    const label = what.replace(/\p{Cc}+/gu, ' ');
    return (done, of) => {
      if (done >= of) return this.clear();
      const now = this.#now();
      if (now - (this.#drawn ?? this.#since) < (this.#drawn === undefined ? firstMs : everyMs)) return;
      this.#drawn = now;
      this.#screen.write(eraseLine + fitted(label, done / of, this.#screen.columns || usualColumns));
    };
  }

  /** Erases the bar, so that the line is free for other text. */
  clear(): void {
    if (this.#drawn === undefined) return;
    this.#screen.write(eraseLine);
    this.#drawn = undefined;
  }
}

// A line that is wider than the terminal would wrap, and could not be erased.
// Also of a terminal that reports none.
const usualColumns = 80;

function fitted(label: string, share: number, columns: number): string {
  const full = Math.floor(share * barWidth);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const bar = `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]${percent}`;
  const room = columns - bar.length - 2;
  if (room < 2) return percent.trimStart().slice(0, Math.max(0, columns - 1));
  const text = [...label];
  return `${text.length <= room ? label : `${text.slice(0, room - 1).join('')}…`} ${bar}`;
}
