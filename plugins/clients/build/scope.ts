/** What the packages are built from. */
export interface BuildScope {
  /** The folder of the checkout. */
  readonly root: string;
  readonly version: string;
  readonly license: string;
  /** Reads a file of the checkout. */
  readonly text: (path: string) => string;
}
