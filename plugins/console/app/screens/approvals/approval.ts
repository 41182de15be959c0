import { html } from '../../frame/html.ts';
import { Status } from '../../parts/status.ts';
import type { Approval, ApprovalSummary } from '../../frame/wire.ts';

/** Shows whether an approval is open, or how it ended. */
export function State({ of }: { readonly of: ApprovalSummary['state'] }) {
  return html`<${Status} of=${of} tone=${of === 'open' ? 'warn' : undefined} />`;
}

/**
 * Computes here what a decision names, the digest of what is shown and the size of the inputs; answers whether they
 * differ from those of the server.
 */
export async function differs({ bound, digest, inputs }: Approval): Promise<boolean> {
  const isWhole = inputs === undefined || bytesOf(JSON.stringify(inputs)).length === bound.inputs.size;
  const hash = await crypto.subtle.digest('SHA-256', bytesOf(JSON.stringify(bound, inOrder)));
  const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return !isWhole || digest !== `sha256:${hex}`;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

// RFC 8785: members in the order of their names.
const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
