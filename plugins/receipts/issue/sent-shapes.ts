import type { ShapePart } from './split-statement.ts';

/** A shape as the writer is sent it: by its number, and with its text until the writer has it. */
export interface SentShape {
  readonly number: number;
  /** Length of the text. */
  readonly bytes: number;
  readonly text?: string;
}

/** The most shapes whose numbers are kept here; the writer keeps more, so it has each that it is sent. */
export const mostSent = 1000;
// Of one Orb in one Orbiset: a longer list takes longer to search than the text takes to send.
const mostOfOne = 16;

/** A shape that was sent. */
export class Sent {
  readonly #parts: readonly ShapePart[];
  readonly #first: SentShape;
  readonly #later: SentShape;
  #held = false;

  constructor(number: number, parts: readonly ShapePart[]) {
    const text = parts.join('');
    const bytes = Buffer.byteLength(text);
    this.#parts = parts;
    this.#first = { number, bytes, text };
    this.#later = { number, bytes };
  }

  /** What the writer is sent now. */
  get shape(): SentShape {
    return this.#held ? this.#later : this.#first;
  }

  /** Notes that the writer has the text: it has issued a statement of this shape. */
  held(): void {
    this.#held = true;
  }

  /** Says whether these are the parts of the same text; the parts of one text are always the same. */
  isOf(parts: readonly ShapePart[]): boolean {
    const own = this.#parts;
    if (own.length !== parts.length) return false;
    for (let at = 0; at < parts.length; at++) if (own[at] !== parts[at]) return false;
    return true;
  }
}

/**
 * The shapes that this thread has sent to the writer. The text of a shape has two thousand characters, which are the same
 * from run to run of an Orb: they are made and sent until the writer has them, and after that only their number.
 */
export class SentShapes {
  readonly #of = new Map<string, Map<string, Sent[]>>();
  #known = 0;
  #last = 0;

  /** Finds the shape of a run by its parts. */
  find(orbisetId: string, orbId: string, parts: readonly ShapePart[]): Sent {
    const shapes = this.#list(orbisetId, orbId);
    for (let at = 0; at < shapes.length; at++) {
      const sent = shapes[at] as Sent;
      if (!sent.isOf(parts)) continue;
      if (at > 0) shapes.unshift(...shapes.splice(at, 1));
      return sent;
    }
    return this.#add(orbisetId, orbId, parts);
  }

  #add(orbisetId: string, orbId: string, parts: readonly ShapePart[]): Sent {
    if (this.#known >= mostSent) {
      this.#of.clear();
      this.#known = 0;
    }
    this.#known += 1;
    this.#last += 1;
    const sent = new Sent(this.#last, parts);
    const shapes = this.#list(orbisetId, orbId);
    shapes.unshift(sent);
    if (shapes.length > mostOfOne) shapes.pop();
    return sent;
  }

  #list(orbisetId: string, orbId: string): Sent[] {
    const ofOrbiset = inPlace(this.#of, orbisetId, () => new Map<string, Sent[]>());
    return inPlace(ofOrbiset, orbId, () => []);
  }
}

function inPlace<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
