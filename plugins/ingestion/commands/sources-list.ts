import { defineCommand, table, type Command } from '../../../kernel/index.ts';
import type { ShownSource } from './shown.ts';

interface Page {
  readonly sources: readonly ShownSource[];
  readonly next_cursor?: string;
}

/** `orb sources list`: prints all sources, oldest first. */
export const listSources: Command = defineCommand({
  path: 'sources list',
  summary: 'list sources of webhooks',
  async run(call) {
    const sources: ShownSource[] = [];
    let from = '';
    for (;;) {
      const page = await call.client().request<Page>('GET', `/sources?limit=100${from}`);
      sources.push(...page.sources);
      if (page.next_cursor === undefined) break;
      from = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    const rows = sources.map(({ source_id, vendor, name, auth, paused, secrets }) => [
      ...[source_id, vendor, name, auth.scheme, String(secrets.length), paused ? 'paused' : 'active'],
      secrets
        .map(({ last_used_at = '' }) => last_used_at)
        .sort()
        .at(-1) || 'never',
    ]);
    call.print(
      { sources },
      table([['SOURCE_ID', 'VENDOR', 'NAME', 'SCHEME', 'SECRETS', 'STATE', 'SECRET USED'], ...rows]),
    );
  },
});
