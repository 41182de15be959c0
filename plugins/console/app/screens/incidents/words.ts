import { html } from '../../frame/html.ts';
import { Status } from '../../parts/status.ts';
import type { Incident } from './model.ts';

const severities: Readonly<Record<string, 'bad' | 'warn' | 'none'>> = { critical: 'bad', high: 'bad', warning: 'warn' };

/** Shows how bad it is. */
export function Severity({ of }: { readonly of: string }) {
  return html`<${Status} of=${of} tone=${severities[of] ?? 'none'} />`;
}

/** Shows whether an incident is open, taken up or over. */
export function State({ of: { state, retracted, merged_into } }: { readonly of: Incident }) {
  if (merged_into !== undefined) return html`<${Status} of="merged" tone="none" />`;
  if (retracted) return html`<${Status} of="retracted" tone="none" />`;
  const tones = { open: 'bad', acknowledged: 'warn', resolved: 'good' } as const;
  return html`<${Status} of=${state} tone=${tones[state]} />`;
}
