import { exactly } from '../../../../kernel/index.ts';
import type { LiveSource } from '../registry.ts';

/** Schema of a source's setup. */
export const setupSchema = exactly('SourceSetup', {
  vendor: { type: 'string', description: 'Name of the vendor' },
  url: { type: 'string', description: 'Of the hook; {source_token} replaces the token that was shown once' },
  steps: { type: 'array', description: 'What to do, in order', items: { type: 'string' } },
  snippets: {
    type: 'array',
    description: 'What to paste',
    items: exactly({
      title: { type: 'string', description: 'What it is' },
      language: { type: 'string', description: 'Language of the text' },
      text: { type: 'string', description: 'The text' },
    }),
  },
});

/** What setup texts show of what is stored hashed or sealed: placeholders, unless it was made just now. */
export interface SetupFacts {
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
