// A text in two parts, so that what many texts have in common is stored once. The shape has a line feed where each value
// stands, and the number of a value between carriage returns where that value stands again; the values follow each other
// with a line feed after each. Neither part holds another of these characters: canonical JSON (RFC 8785 §3.2.2.2) escapes
// control characters.
const end = '\n';
const places = /\n|\r(\d+)\r/;
const leastRepeated = 16;

/** Collects the values of a text while its shape is written, both from left to right. */
export class Values {
  readonly #sections = [''];
  /** Long values by their number; a place that was left has a number too. */
  readonly #long: (string | undefined)[] = [];

  /** Adds a value, and answers its mark in the shape. */
  add(value: string | number): string {
    const long = typeof value === 'string' && value.length >= leastRepeated ? value : undefined;
    const known = long === undefined ? -1 : this.#long.indexOf(long);
    if (known >= 0) return `\r${known}\r`;
    this.#long.push(long);
    this.#sections[this.#sections.length - 1] += value + end;
    return end;
  }

  /** Reserves a place for a value that is known later, and answers its mark in the shape. */
  leave(): string {
    this.#long.push(undefined);
    this.#sections.push('');
    return end;
  }

  /** The values, cut where places were left. */
  get sections(): readonly string[] {
    return this.#sections;
  }
}

/** Joins sections of values with the values left between them. */
export function joinValues(sections: readonly string[], between: readonly string[]): string {
  let values = sections[0] ?? '';
  for (const [at, value] of between.entries()) values += value + end + (sections[at + 1] ?? '');
  return values;
}

/** A shape cut at its places. */
export interface CutShape {
  /** The texts around the places. */
  readonly texts: readonly string[];
  /** The number of the value at each place. */
  readonly numbers: readonly number[];
  /** How many values there are. */
  readonly count: number;
}

/** Cuts a shape at its places. */
export function cutShape(shape: string): CutShape {
  const parts: (string | undefined)[] = shape.split(places);
  const texts = [parts[0] ?? ''];
  const numbers: number[] = [];
  let count = 0;
  for (let at = 1; at < parts.length; at += 2) {
    const again = parts[at];
    numbers.push(again === undefined ? count++ : Number(again));
    texts.push(parts[at + 1] ?? '');
  }
  return { texts, numbers, count };
}

/** Writes the whole text; undefined when there are not as many values as the shape has places. */
export function fill({ count, numbers, texts }: CutShape, values: string): string | undefined {
  const each = values.split(end);
  if (each.length !== count + 1 || each[count] !== '') return undefined;
  let text = texts[0] ?? '';
  for (let at = 0; at < numbers.length; at++) text += `${each[numbers[at] ?? count] ?? ''}${texts[at + 1]}`;
  return text;
}
