import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { Dialog } from '../../parts/dialog.ts';
import { Secrets } from '../../parts/secrets.ts';
import { Status } from '../../parts/status.ts';
import type { Subscription } from '../../frame/wire.ts';

/** Names the events of a subscription, and the Orb that it is limited to. */
export const eventsOf = ({ types, filter }: Pick<Subscription, 'types' | 'filter'>): string =>
  `${types.includes('run.*') ? 'all finished runs' : types.join(', ')}${filter === undefined ? '' : ` of ${filter.orb_id}`}`;

/** Shows whether callbacks are sent, and why the server switched them off. */
export function SubscriptionState({ of: { state, reason } }: { readonly of: Subscription }) {
  return html`<${Status} of=${state} tone=${{ active: 'good', paused: 'warn', off: 'bad' }[state]} />
    ${reason !== undefined && html`<p class="small muted">${reason}</p>`}`;
}

const routeOf = (id: string): string => `/subscriptions/${encodeURIComponent(id)}`;

/** Pauses a subscription, or makes it active again. */
export function Turn({ of: { state, subscription_id: id, url }, onDone }: ActOn<Subscription>) {
  const path = routeOf(id);
  return state === 'active'
    ? html`<${Act}
        label="Pause"
        title=${`Pause callbacks to ${url}`}
        says=${html`<p>Callbacks wait until you resume it, for seven days at most.</p>`}
        call=${{ method: 'PATCH', path, body: { state: 'paused' } }}
        done="The subscription is paused"
        onDone=${onDone}
      />`
    : html`<${Act}
        label="Resume"
        title=${`Resume callbacks to ${url}`}
        says=${html`<p>Callbacks that wait are sent now. Runs that finished while the server had it switched off are not sent.</p>`}
        call=${{ method: 'PATCH', path, body: { state: 'active' } }}
        done="The subscription is active"
        onDone=${onDone}
      />`;
}

/** Gives a subscription a new secret, which is shown once. */
export function Rotate({ of: { subscription_id: id, url } }: { readonly of: Subscription }) {
  const [secret, setSecret] = useState<string>();
  return html`<${Act}
      label="Rotate the secret"
      title=${`Rotate the secret for ${url}`}
      says=${html`<p>
        A new secret signs callbacks from now on; it is shown once. The previous one also signs for 24 hours, so that
        you can change the receiver without losing callbacks.
      </p>`}
      call=${{ method: 'POST', path: `${routeOf(id)}/secret` }}
      word="rotate"
      done="The secret was rotated. It is shown only once."
      onDone=${(made: { readonly secret: string }) => setSecret(made.secret)}
    />
    ${secret !== undefined && html`<${SecretOnce} secret=${secret} onClose=${() => setSecret(undefined)} />`}`;
}

/** A new secret, and what is called when the reader has copied it. */
export interface SecretOnceProps {
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows the secret of a subscription once: after it is closed, the console no longer has it. */
export function SecretOnce({ secret, onClose }: SecretOnceProps) {
  return html`<${Dialog} title="Copy the secret now" onClose=${onClose}>
    <${Secrets} of=${[['Secret of the subscription', secret]]}>
      <p class="small muted">
        The receiver verifies the header <code>webhook-signature</code> with it. Store it only where the receiver reads
        its secrets.
      </p>
    <//>
    <div class="row end">
      <button class="button" type="button" onClick=${onClose}>I have saved it</button>
    </div>
  <//>`;
}

/** Deletes a subscription, and goes back to the list. */
export function Remove({ of: { orbiset_id, subscription_id, url } }: { readonly of: Subscription }) {
  return html`<${Act}
    label="Delete"
    title=${`Delete the subscription of ${url}`}
    says=${html`<p>It gets no more callbacks, and its waiting callbacks are deleted. This cannot be undone.</p>`}
    call=${{ method: 'DELETE', path: routeOf(subscription_id) }}
    word="delete"
    danger
    done="The subscription is deleted"
    onDone=${() => go(hrefOf('/callbacks', { orbiset: orbiset_id }))}
  />`;
}
