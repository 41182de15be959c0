import { canonical } from '../../kernel/index.ts';
import { createCommit, commitWith } from '../receipts/contract.ts';
import type { Ask, Bound, HeldRun } from '../runtime/contract.ts';

/** A salted commitment to a canonical text, as a statement shows it, with its salt in base64. */
export interface Committed {
  /** `sha256:<hex>` */
  readonly commitment: string;
  /** Bytes of the text. */
  readonly size: number;
  readonly salt: string;
}

const fresh = createCommit();

/** Commits to a canonical text; with the salt of an earlier commitment it is the same one. */
export function commitTo(text: string, salt?: string): Committed {
  const made = salt === undefined ? fresh(text) : commitWith(Buffer.from(salt, 'base64'), text);
  return { commitment: made.digest, size: made.size, salt: Buffer.from(made.salt).toString('base64') };
}

/** Makes what people approve of a run as it is now. */
export function boundOf(
  { inputs, salt: known, ...run }: HeldRun,
  asks: readonly Ask[],
): { bound: Bound; salt: string } {
  const { salt, ...committed } = commitTo(inputs, known);
  const asked = asks.map(({ code, approvers, of, bind, policies }) => ({
    ...{ code, approvers, of, bind, policies: [...policies] },
  }));
  return { bound: { ...run, inputs: committed, asks: asked }, salt };
}

/**
 * Says whether an approval is about a run as it is now: the same run, Orb, manifest, inputs, delivery and mode, by the same
 * principal; and the same providers in the same order with the same configuration, unless every ask binds the inputs
 * alone. The policies may be others: they decide again.
 */
export function covers(approved: Bound, now: Bound): boolean {
  const kept = ({ providers, revision: _, ...rest }: Bound): string =>
    canonical(approved.asks.some(({ bind }) => bind === 'provider') ? { ...rest, providers } : rest);
  return kept(approved) === kept(now);
}
