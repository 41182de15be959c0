import { html } from '../../frame/html.ts';
import { Notice } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts } from '../../parts/table.ts';
import { peopleOf } from '../policies/words.ts';
import type { Preview } from '../../frame/wire.ts';

const words = {
  allow: 'It would be allowed.',
  ask: 'People must approve it first.',
  deny: 'It would be denied.',
  undecided: 'The policy engine cannot decide now; the run would be denied.',
} as const;

/** Shows what a run would meet: the decision, and the providers that may serve it. */
export function PreviewResult({ of }: { readonly of: Preview }) {
  const { decision, asks = [], reasons, policies, providers, mode, effect, warns, shadow_denies } = of;
  return html`<div class="stack">
    <${Notice} tone=${decision === 'allow' ? 'good' : decision === 'ask' ? 'warn' : 'bad'}>
      <p><strong>${words[decision]}</strong> No provider was called.</p>
      ${reasons.map(({ code, policy, message }) => html`<p><code>${code}</code> ${message} ${policy && html`<span class="muted">${policy}</span>`}</p>`)}
    <//>
    ${
      providers.length === 0 &&
      html`<${Notice} tone="warn"
        ><p>No ${mode} provider is available: a run would fail with <code>no_provider_allowed</code>.</p><//
      >`
    }
    <${Facts}
      of=${[
        ['Mode', html`<${Status} of=${mode} tone=${mode === 'live' ? 'warn' : 'good'} />`],
        ['Effect', effect],
        [
          'Providers',
          providers.length > 0 &&
            html`<ol class="plain">
              ${providers.map(({ name, health }) => html`<li>${name} <${Status} of=${health} /></li>`)}
            </ol>`,
        ],
        ['Approval by', asks.map(peopleOf).join('; ')],
        ['Decided by', policies.length === 0 ? 'the scopes of the key' : policies.join(', ')],
        ['Warnings', warns > 0 && String(warns)],
        ['Shadow policies', shadow_denies > 0 && `${shadow_denies} would deny`],
      ]}
    />
  </div>`;
}
