import { exactly, type Clock } from '../../../kernel/index.ts';
import type { Intake } from '../intake/receive.ts';
import type { DeliveryReads } from '../deliveries/reading.ts';
import type { SourceAdmin } from '../sources/source-admin.ts';
import type { SourceReads } from '../sources/store.ts';
import { problems } from '../problems.ts';
import type { LiveSource } from '../sources/registry.ts';

/** Dependencies of the source routes. */
export interface SourceRoutesScope {
  readonly intake: Intake;
  readonly admin: SourceAdmin;
  readonly reads: SourceReads;
  readonly deliveries: DeliveryReads;
  readonly publicUrl: string;
  readonly clock: Clock;
}

const params = exactly({ source_id: { type: 'string', maxLength: 64, description: 'Id of the source' } });

/** Members shared by all source routes. */
export const managed = { service: 'ingest', scope: 'sources:manage' } as const;

/** Members shared by the routes that read one source. */
export const readsSource = { ...managed, params, problems: [problems.source_not_found] } as const;

/** Members shared by the routes that change one source. */
export const changesSource = { ...readsSource, live: true } as const;

/** Schema of a source's setup. */
export const setupSchema = exactly('SourceSetup', {
  vendor: { type: 'string', description: 'Name of the vendor' },
  url: { type: 'string', description: 'URL of the hook; replace {source_token} with the token that was shown once' },
  steps: { type: 'array', description: 'What to do, in order', items: { type: 'string' } },
  snippets: {
    type: 'array',
    description: 'Texts to paste',
    items: exactly({
      title: { type: 'string', description: 'What it is' },
      language: { type: 'string', description: 'Language of the text' },
      text: { type: 'string', description: 'The text' },
    }),
  },
});

/**
 * Values for the setup texts. The stored token is hashed and the secret encrypted, so placeholders replace them unless
 * they are new.
 */
interface SetupFacts {
  readonly publicUrl: string;
  readonly token?: string;
  readonly secret?: string | undefined;
}

/** Writes the copy-paste configuration of a source's vendor. */
export function setupOf({ vendor, settings }: LiveSource, { publicUrl, token, secret }: SetupFacts): object {
  const url = `${publicUrl}/hooks/${token ?? '{source_token}'}`;
  const shown = secret ?? (settings.auth.scheme === 'url' ? '' : '{secret}');
  return { vendor: vendor.name, url, ...vendor.setup({ url, secret: shown, auth: settings.auth }) };
}
