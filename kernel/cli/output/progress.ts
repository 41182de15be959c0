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
