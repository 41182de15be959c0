import type { ProblemType } from '../../error.ts';
import type { Problem } from './problem.ts';
import type { NavigationEntry } from './navigation.ts';

/** A route that every page leads to. */
export interface Section extends NavigationEntry {
  readonly path: string;
  /** Its address, as a page of this listener links to it. */
  readonly href: string;
}

/** What a browser can show to a person as a page; programs get it as JSON. */
export type Presentation =
  /** A request failed. */
  | { readonly kind: 'failure'; readonly problem: Problem; readonly type: ProblemType }
  /** A problem is explained. */
  | { readonly kind: 'problem'; readonly type: ProblemType }
  /** The JSON of a public route: its summary, the address that was asked for, and the path that it declares. */
  | {
      readonly kind: 'data';
      readonly summary: string;
      readonly address: string;
      readonly path: string;
      readonly text: string;
    };

/** A body that depends on the listener it is sent from; the same sections are the same object each time. */
export type BodyOf = (sections: readonly Section[]) => {
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};
