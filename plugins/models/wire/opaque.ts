import type { Opaque } from '../../../providers/llm/contract.ts';

// Clients hand a signature back unchanged, so it can name the adapter that it goes back to.
const mark = 'orb1.';

/** Writes what goes back to one vendor as the signature of a door; a vendor's own text is written as it is. */
export function signatureOf({ adapter, data }: Opaque, own?: string): string {
  if (adapter === own) return data;
  return mark + Buffer.from(JSON.stringify({ adapter, data })).toString('base64url');
}

/** Reads a signature; one without our mark is a vendor's own, of the adapter `own`. Undefined: it cannot be read. */
export function opaqueOf(signature: string, own: string): Opaque | undefined {
  if (!signature.startsWith(mark)) return { adapter: own, data: signature };
  try {
    const { adapter, data } = JSON.parse(Buffer.from(signature.slice(mark.length), 'base64url').toString()) as Opaque;
    return typeof adapter === 'string' && typeof data === 'string' ? { adapter, data } : undefined;
  } catch {
    return undefined;
  }
}
