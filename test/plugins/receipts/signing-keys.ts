import type { Harness } from './harness.ts';

/** What a change of a signing key answers. */
export interface Changed {
  readonly role: string;
  readonly kid: string;
  readonly previous_kid?: string;
  readonly successor_kid?: string;
  readonly origin?: string;
  readonly from?: { readonly origin: string; readonly index: number };
  readonly receipt_id: string;
  readonly position: { readonly origin: string; readonly index: number };
}

/** Who changes keys in these tests. */
export const operator = { id: 'prn_01M6B27VZ00000000000000004', scopes: ['signing-keys:manage'], tenant: 'default' };

/** Rotates the key of a role through its route. */
export async function rotate({ call }: Harness, role: string, reason?: string): Promise<Changed> {
  const body = { role, ...(reason === undefined ? {} : { reason }) };
  return (await call('/signing-keys/rotate', {}, operator, {}, body)) as Changed;
}

/** Revokes a key through its route. */
export async function revoke({ call }: Harness, kid: string, reason: string, from?: object): Promise<Changed> {
  const body = { reason, ...(from === undefined ? {} : { from }) };
  return (await call('/signing-keys/{kid}/revoke', { kid }, operator, {}, body)) as Changed;
}
