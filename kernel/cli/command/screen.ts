import { styleText } from 'node:util';

// What a colour or weight says: states as the words in them, and heads of columns.
type Style = 'good' | 'warning' | 'bad' | 'head';

/** Where the text of a command goes. */
export interface Screen {
  /** Width of the terminal; absent: no terminal, so nothing is shortened. */
  readonly columns?: number;
  /** Adds the style, if colours are shown there. */
  paint(style: Style, text: string): string;
}

interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const formats = { good: 'green', warning: 'yellow', bad: 'red', head: 'bold' } as const;

/** Describes a stream as a screen: colours on a terminal only, by the rules of Node for NO_COLOR and FORCE_COLOR. */
export function screenOf(stream: Output): Screen {
  const { columns, isTTY } = stream;
  return {
    // Some terminals report 0.
    ...(isTTY === true && columns !== undefined && columns > 0 ? { columns } : {}),
    paint: (style, text) => styleText(formats[style], text, { stream }),
  };
}

/** Receives how much of some work is done. */
export type OnProgress = (done: number, of: number) => void;

/** Shows a person at a terminal how far long work is. */
export interface Progress {
  /** Makes the receiver of the progress of one part of the work, whose size is known. */
  part(what: string): OnProgress;
  /** Makes the receiver of an amount, such as `12,345 rows`, of work whose size is unknown. */
  count(what: string): (amount: string) => void;
  /** Shows each second how long something takes, until the returned function is called. */
  wait(what: string): () => void;
  /** Erases what is shown, so that the line is free for other text. */
  clear(): void;
}

/** A terminal, such as standard error. */
export interface BarScreen {
  /** Width in characters; 0 or absent: not known. */
  readonly columns?: number;
  write(text: string): unknown;
}
