import type { Failure } from '../message.ts';
import type { EndedNode, NodeView } from './peers.ts';

/** A change that another node committed. */
export interface Change {
  readonly topic: string;
  readonly ref: string;
}

/** Messages from the serving thread to the membership of its process. */
export type ToMembership =
  /** All listeners are there: changes may come, and the process serves. */
  | { readonly kind: 'begin' }
  /** All changes up to this number of the feed are learned. */
  | { readonly kind: 'learned'; readonly upTo: number }
  | { readonly kind: 'want'; readonly role: string }
  | { readonly kind: 'settled'; readonly incarnation: string }
  | { readonly kind: 'everywhere' | 'nodes'; readonly id: number };

/** Messages from the membership to the serving thread. */
export type FromMembership =
  | { readonly kind: 'changes'; readonly upTo: number; readonly changes: readonly Change[] }
  | { readonly kind: 'adopted'; readonly ended: EndedNode }
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'answer'; readonly id: number; readonly nodes: readonly NodeView[]; readonly failure?: Failure };
