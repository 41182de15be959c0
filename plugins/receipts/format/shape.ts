/**
 * A text in two parts, so that what many texts have in common is stored once: `shape` has a line feed where each value
 * stands. Neither part holds another line feed: canonical JSON (RFC 8785 §3.2.2.2) escapes control characters.
 */
export interface ShapedText {
  readonly shape: string;
  /** The values in order, a line feed after each. */
  readonly values: string;
}

const end = '\n';

/** Collects the values of a text while its shape is written, both from left to right. */
export class Values {
  readonly #sections = [''];

  /** Adds a value, and answers what stands in the shape for it. */
  add(value: string | number): string {
    this.#sections[this.#sections.length - 1] += value + end;
    return end;
  }

  /** Leaves a place for a value that is known later, and answers what stands in the shape for it. */
  leave(): string {
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

/** Cuts a shape into its texts around the values. */
export function textsOf(shape: string): readonly string[] {
  return shape.split(end);
}

/** Writes the whole text; undefined when there are not as many values as the shape has places. */
export function fill(texts: readonly string[], values: string): string | undefined {
  const each = values.split(end);
  if (each.length !== texts.length || each.at(-1) !== '') return undefined;
  let text = texts[0] ?? '';
  for (let at = 1; at < texts.length; at++) text += `${each[at - 1]}${texts[at]}`;
  return text;
}
