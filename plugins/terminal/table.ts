import { holdsState, painted } from './meaning.ts';
import type { Screen } from '../../kernel/index.ts';
import { printable, shortened, widthOf } from './width.ts';

const gap = '  ';
// Other columns have at least this width before those of states are shortened.
const leastFree = 4;

/** Text that depends on where it is shown. As a string it is the text of a pipe: whole, without colours. */
export class Shown {
  readonly #on: (screen: Screen | undefined) => string;

  constructor(on: (screen: Screen | undefined) => string) {
    this.#on = on;
  }

  /** Writes it for a screen: lists fit, states have their colour. */
  on(screen: Screen | undefined): string {
    return this.#on(screen);
  }

  toString(): string {
    return this.#on(undefined);
  }
}

/** Writes a text for a screen. */
export function textOn(screen: Screen | undefined, text: string | Shown): string {
  return typeof text === 'string' ? text : text.on(screen);
}

type Rows = readonly (readonly string[])[];

/** Formats rows of text in columns, two spaces apart; control characters, which may be untrusted, become spaces. */
export function table(rows: Rows): string {
  return aligned(rows.map((row) => row.map(printable)));
}

/**
 * Formats a list as a table with a head; an empty list is `none`. On a terminal no row wraps: the widest columns are
 * shortened, but never the first one, which holds the ids.
 */
export function listing(head: readonly string[], rows: Rows): Shown {
  const states = head.map(holdsState);
  return new Shown((screen) => {
    if (rows.length === 0) return 'none';
    const plain = [head, ...rows].map((row) => row.map(printable));
    const style: Look['style'] = (text, row, column) => {
      if (screen === undefined || text === '') return text;
      if (row === 0) return screen.paint('head', text);
      return states[column] === true ? painted(plain[row]?.[column] ?? '', screen, text) : text;
    };
    return aligned(plain, { columns: screen?.columns, states, style });
  });
}

/** Formats the members of one thing, a name and a value each. Nothing is shortened: it may be shown only once. */
export function record(rows: Rows): Shown {
  return new Shown((screen) => {
    const style: Look['style'] = (text, row, column) =>
      column === 1 && holdsState(rows[row]?.[0] ?? '') ? painted(text, screen) : text;
    return aligned(
      rows.map((row) => row.map(printable)),
      { style },
    );
  });
}

interface Look {
  readonly columns?: number | undefined;
  /** The columns that hold states, which are short and shortened last. */
  readonly states?: readonly boolean[];
  /** Adds the style of a cell to its text, whose width it does not change. */
  readonly style?: (text: string, row: number, column: number) => string;
}

function aligned(rows: Rows, { columns, states = [], style = (text) => text }: Look = {}): string {
  const whole: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (whole[at] = Math.max(whole[at] ?? 0, widthOf(cell))));
  const widths = columns === undefined ? whole : fitted(whole, columns, states);
  const line = (row: readonly string[], at: number): string =>
    row
      .slice(0, widths.length)
      .map((cell, column) => {
        const text = shortened(cell, widths[column] ?? 0);
        return style(text, at, column) + ' '.repeat((widths[column] ?? 0) - widthOf(text));
      })
      .join(gap)
      .trimEnd();
  return rows.map(line).join('\n');
}

// Takes from the widest columns until the row fits; of a very narrow terminal the last columns are left out.
function fitted(whole: readonly number[], columns: number, states: readonly boolean[]): readonly number[] {
  const widths = [...whole];
  const excess = (): number => widths.reduce((sum, width) => sum + width + gap.length, -gap.length - columns);
  const take = (least: number, isFree: (column: number) => boolean): void => {
    for (let rest = excess(); rest > 0; rest--) {
      const free = widths.map((width, at) => (at > 0 && isFree(at) ? width : 0));
      const widest = Math.max(...free);
      if (widest <= least) return;
      widths[free.lastIndexOf(widest)] = widest - 1;
    }
  };
  take(leastFree, (column) => states[column] !== true);
  take(1, () => true);
  while (excess() > 0 && widths.length > 1) widths.pop();
  return widths;
}
