/** One thing that an executable holds, and that others wrote. */
export interface Part {
  readonly name: string;
  readonly version: string;
  /** Package URL: it names the part everywhere. */
  readonly purl: string;
  /** SPDX expression. */
  readonly licence: string;
  /** The texts of its licence, and its notices; absent: the part that holds it has them. */
  readonly text?: string;
  /** SHA-512 of the package, hex. */
  readonly sha512?: string;
  /** The package URL of the part that holds it; absent: the program. */
  readonly of?: string;
}

/** Throws when the licence of a part is not one that allows to hand it on, naming all such parts. */
export function expectFit(parts: readonly Part[], isFit: (licence: string) => boolean): void {
  const unfit = parts.filter(({ licence }) => !isFit(licence));
  if (unfit.length === 0) return;
  const named = unfit.map(({ licence, purl }) => `${purl} (${licence === '' ? 'none' : licence})`);
  throw new Error(`the licence of these parts is unknown or does not allow to hand them on: ${named.join(', ')}`);
}
