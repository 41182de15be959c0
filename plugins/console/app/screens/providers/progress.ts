import { html } from '../../frame/html.ts';
import { Notice } from '../../parts/notice.ts';
import { durationOf } from '../../parts/time.ts';
import type { ProviderStatus, Swap } from '../../frame/wire.ts';

const steps = ['validating', 'opening', 'probing', 'switching', 'draining', 'completed'] as const;
const names: Readonly<Record<(typeof steps)[number], string>> = {
  validating: 'Checked',
  opening: 'Opened',
  probing: 'Probed',
  switching: 'Bound',
  draining: 'Old runs finish',
  completed: 'Done',
};

/** Shows how far a swap is, and the runs that still end on the old provider. */
export function SwapProgress({ swap, status }: { readonly swap: Swap; readonly status: ProviderStatus }) {
  const { from, to, state, reason } = swap;
  const title = `${from ?? 'none'} → ${to}`;
  if (state === 'failed')
    return html`<${Notice} tone="bad">
      <p>
        <strong>${title} failed: ${(reason ?? 'unknown').replaceAll('_', ' ')}.</strong> The old provider stays active.
      </p>
    <//>`;
  const at = state === 'rolled_back' ? steps.length : steps.indexOf(state);
  const leaving = status.providers.filter(({ role }) => role === 'draining');
  const left = leaving.reduce((sum, { in_flight }) => sum + in_flight, 0);
  const oldest = Math.max(0, ...leaving.map(({ oldest_ms }) => oldest_ms));
  return html`<section class="panel stack" aria-label="Swap">
    <h2>${title}</h2>
    <ol class="swap-steps">
      ${steps.map(
        (step, index) =>
          html`<li
            class=${index < at || state === 'completed' ? 'past' : index === at ? 'now' : ''}
            aria-current=${index === at ? 'step' : undefined}
          >
            ${names[step]}
          </li>`,
      )}
    </ol>
    <p role="status">
      ${
        left > 0
          ? `${left} ${left === 1 ? 'run still uses' : 'runs still use'} ${from ?? 'the old provider'}; the oldest has run for ${durationOf(oldest)}.`
          : state === 'completed'
            ? `${to} is active. No run was lost.`
            : ''
      }
    </p>
  </section>`;
}
