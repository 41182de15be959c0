import type { EndedNode, Failure, NodeView } from '../../../kernel/engine.ts';

/** A change that another node committed. */
export interface Change {
  readonly topic: string;
  readonly ref: string;
}

/**
 * What the serving thread asks. `begun`: answered when the others see that this process serves; `everywhere`: when they
 * have learned all changes; `nodes`: at once; `dismiss`: when the node is taken from the list.
 */
export interface Question {
  readonly what: 'begun' | 'everywhere' | 'nodes' | 'dismiss';
  /** The name of the node to dismiss. */
  readonly node?: string;
}

/** Messages from the serving thread to the membership of its process. */
export type ToMembership =
  /** All listeners are there: changes may come, and the process serves. */
  | { readonly kind: 'begin' }
  /** All changes up to this number of the feed are learned. */
  | { readonly kind: 'learned'; readonly upTo: number }
  | { readonly kind: 'want'; readonly role: string }
  | { readonly kind: 'settled'; readonly incarnation: string }
  | { readonly kind: 'configured'; readonly digest: string }
  /** The process writes nothing more: its roles may be given up. */
  | { readonly kind: 'quiet'; readonly round: number }
  | ({ readonly kind: 'ask'; readonly id: number } & Question);

/** Messages from the membership to the serving thread. */
export type FromMembership =
  | { readonly kind: 'changes'; readonly upTo: number; readonly changes: readonly Change[] }
  | { readonly kind: 'adopted'; readonly ended: EndedNode }
  | { readonly kind: 'role'; readonly role: string }
  /** The clock of the machine is wrong: the process must write nothing and hold no role; or it may again. */
  | { readonly kind: 'mute'; readonly mute: boolean; readonly round: number }
  | { readonly kind: 'answer'; readonly id: number; readonly nodes: readonly NodeView[]; readonly failure?: Failure };
