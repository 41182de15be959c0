import { defineCommand, table, type Client, type Command } from '../../../kernel/index.ts';
import type { KeySummary } from '../key.ts';

/** `orb keys list`: prints all keys the caller may see, newest first. */
export const listKeys: Command = defineCommand({
  path: 'keys list',
  summary: 'list API keys, newest first',
  async run(call) {
    const keys = await collect(call.client());
    call.print({ keys }, show(keys));
  },
});

interface Page {
  readonly keys: readonly KeySummary[];
  readonly next_cursor?: string;
}

async function collect(client: Client): Promise<KeySummary[]> {
  const keys: KeySummary[] = [];
  let cursor: string | undefined;
  do {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await client.request<Page>('GET', `/keys?limit=100${from}`);
    keys.push(...page.keys);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return keys;
}

function show(keys: readonly KeySummary[]): string {
  const head = ['KEY_ID', 'PREFIX', 'NAME', 'TENANT', 'PRINCIPAL', 'SCOPES', 'LAST USED', 'ENDS'];
  return table([head, ...keys.map(row)]);
}

function row({
  key_id,
  prefix,
  name,
  tenant,
  principal,
  scopes,
  last_used_at,
  expires_at,
  revoked_at,
}: KeySummary): string[] {
  const ends = revoked_at === undefined ? (expires_at ?? 'never') : `revoked ${revoked_at}`;
  return [key_id, prefix, name, tenant, principal, scopes.join(' '), last_used_at ?? 'never', ends];
}
