/** A key as the API lists it; never the key itself. */
export interface Key {
  readonly key_id: string;
  readonly principal: string;
  readonly principal_name: string;
  readonly tenant: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly mode: 'live' | 'test';
  readonly created_at: string;
  readonly created_by?: string;
  readonly expires_at?: string;
  readonly last_used_at?: string;
  readonly revoked_at?: string;
}

/** The answer that makes a key: the only one that shows it. */
export type CreatedKey = Key & { readonly key: string };

/** Says how a key is. */
export function stateOf({ revoked_at, expires_at }: Key): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== undefined) return 'revoked';
  return expires_at !== undefined && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}
