import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Act } from '../../parts/act.ts';
import { SelectField } from '../../parts/field.ts';
import type { ProviderStatus, Swap } from '../../frame/wire.ts';

/** How the acts are shown. */
export interface SwapActsProps {
  readonly of: ProviderStatus;
  readonly onDone: (swap: Swap) => void;
}

/** The acts on the provider of an Orb: swap, and roll the last swap back. */
export function SwapActs({ of: status, onDone }: SwapActsProps) {
  const { orb_id, generation, active_provider, providers, last_swap } = status;
  const [chosen, setChosen] = useState('');
  const others = [...new Set(providers.map(({ name }) => name))].filter((name) => name !== active_provider);
  const to = others.includes(chosen) ? chosen : (others[0] ?? '');
  const base = `/providers/${encodeURIComponent(orb_id)}`;
  // What another operator did meanwhile is not undone unseen.
  const headers = { 'If-Match': `"${generation}"` };
  const undoes =
    last_swap !== undefined && ['draining', 'completed'].includes(last_swap.state) ? last_swap.from : undefined;
  return html`${
    undoes !== undefined &&
    html`<${Act}
      label="Roll back"
      title=${`Roll back to ${undoes}`}
      says=${html`<p><strong>${undoes}</strong> is tested first, then becomes active again. Runs in progress finish on ${active_provider}.</p>`}
      call=${{ method: 'POST', path: `${base}/rollback`, headers }}
      onDone=${onDone}
      done=${`${undoes} is active again`}
    />`
  }
  ${
    others.length > 0 &&
    html`<${Act}
      label="Swap"
      title="Swap the provider"
      main
      says=${html`<p>
        The new provider is tested without an effect, then becomes active. New runs go to it; runs in progress finish on
        <strong> ${active_provider ?? 'the old one'}</strong>. If the test fails, the old provider stays active.
      </p>`}
      call=${{ method: 'POST', path: `${base}/swap`, body: { provider: to }, headers }}
      onDone=${onDone}
      done=${`${to} is active`}
    >
      <${SelectField}
        label="New provider"
        value=${to}
        onChange=${setChosen}
        options=${others.map((name) => [name, name])}
      />
    <//>`
  }`;
}
