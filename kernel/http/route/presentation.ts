import type { ProblemType } from '../../error.ts';
import type { Problem } from './problem.ts';
import type { JsonSchema } from '../../tools/schema.ts';

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

/** A request that the server sends to an address which a caller registered by a route. */
export interface Webhook {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Headers of the request, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>;
  /** Schemas of the body by media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  /** Answers of the receiver by status, with their descriptions. */
  readonly answers: Readonly<Record<string, string>>;
}

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
