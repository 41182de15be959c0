/** How every page links to a route: in its head, or, after a sentence, in its foot. */
export interface NavigationEntry {
  readonly name: string;
  /** The lowest position is first. */
  readonly position: number;
  /** The sentence in the foot. */
  readonly foot?: string;
  /** What is behind the link, for the start page. */
  readonly about?: string;
  /** The command that opens it, which `orb serve` prints with its address. */
  readonly command?: string;
}
