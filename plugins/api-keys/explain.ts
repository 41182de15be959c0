import { whenKnown, type Awaitable, type Clock, type Credential } from '../../kernel/index.ts';
import type { KeySummary } from './key.ts';
import type { KeyReads } from './store.ts';
import { isToken, tokenDigest, tokenLength } from './token.ts';

/**
 * Says what is wrong with a text that is not a valid key. Only the holder of the whole key learns that it was revoked
 * or has expired: every other text of the right form is looked up in the same way and is unknown.
 */
export function explainKey(
  reads: Pick<KeyReads, 'findByHash'>,
  { now }: Pick<Clock, 'now'>,
  { token }: Credential,
): Awaitable<string | undefined> {
  if (!isToken(token)) return formFault(token);
  return whenKnown(reads.findByHash(tokenDigest(token)), (key) => (key === undefined ? unknown : ended(key, now())));
}

const unknown =
  'this server has no such key: check that you call the server that issued it, or ask an operator for a new key ' +
  '(`orb keys create`)';

function ended({ key_id, expires_at, revoked_at }: KeySummary, now: number): string | undefined {
  if (revoked_at !== undefined) return `the key ${key_id} was revoked at ${revoked_at}; use another key`;
  if (expires_at === undefined || Date.parse(expires_at) > now) return undefined;
  return `the key ${key_id} expired at ${expires_at}; use another key, or ask an operator for a new one (\`orb keys create\`)`;
}

const jwt = /^[\w-]+\.[\w-]+\.[\w-]*$/;

function formFault(token: string): string {
  if (jwt.test(token))
    return 'the token looks like a JWT, but this server accepts only API keys: they begin with `orb_live_`';
  if (!/^orb_(?:live|test)_/.test(token))
    return 'the token is not an API key of this server: its keys begin with `orb_live_` or `orb_test_`';
  if (token.length !== tokenLength)
    return `the key has ${token.length} characters instead of ${tokenLength}; copy it again`;
  return 'the key has a typing error: its checksum does not match; copy it again';
}
