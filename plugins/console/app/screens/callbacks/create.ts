import { useState } from 'preact/hooks';
import { filled, type Call } from '../../frame/api.ts';
import { onSubmit, useCall } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { CheckField, SelectField, TextField } from '../../parts/field.ts';
import { FormEnd } from '../../parts/form-end.ts';
import { OrbisetField, useOrbiset } from '../../parts/orbiset-field.ts';
import { SecretOnce } from './subscription.ts';
import type { Subscription } from '../../frame/wire.ts';

interface Made {
  readonly subscription: Subscription;
  readonly secret: string;
}

/** Creates a subscription, then shows its secret once. */
export function NewSubscription({ query }: ScreenProps) {
  const orbiset = useOrbiset(query['orbiset']);
  const [made, setMade] = useState<Made>();
  const choose = (id: string): void => go(hrefOf('/callbacks/new', { orbiset: id }), { replace: true });
  return html`<${Page}
    title="New subscription"
    above=${{ href: hrefOf('/callbacks', { orbiset: orbiset.id }), name: 'Callbacks' }}
    about="The server sends a signed request to an address of yours when a run finishes."
  >
    <${SubscriptionForm} orbiset=${orbiset.id ?? ''} onMade=${setMade}>
      <${OrbisetField} of=${orbiset} onChange=${choose} />
    <//>
    ${
      made &&
      html`<${SecretOnce}
        secret=${made.secret}
        onClose=${() => go(hrefOf(`/callbacks/${made.subscription.subscription_id}`))}
      />`
    }
  <//>`;
}

const events = [
  ['run.completed', 'Completed runs'],
  ['run.failed', 'Failed, timed out and cancelled runs'],
  ['run.denied', 'Denied runs'],
  ['run.indeterminate', 'Runs with unknown outcome'],
] as const;
const formats = [
  ['standard', 'Standard Webhooks'],
  ['cloudevents', 'CloudEvents'],
] as const;

interface FormProps {
  readonly orbiset: string;
  readonly onMade: (made: Made) => void;
  /** The choice of the Orbiset. */
  readonly children?: unknown;
}

function SubscriptionForm({ orbiset, onMade, children }: FormProps) {
  const form = useSubscription(orbiset, onMade);
  const { typed, set, errorOf } = form;
  return html`<form class="panel stack" onSubmit=${onSubmit(form.create)} novalidate>
    ${children}
    <${TextField}
      label="Address"
      hint="A public https address. Redirects are not followed."
      value=${typed.url}
      onChange=${(url: string) => set({ url })}
      error=${errorOf('url')}
      type="url"
      placeholder="https://example.com/hooks/orb"
    />
    <fieldset>
      <legend>Events</legend>
      ${events.map(
        ([type, label]) =>
          html`<${CheckField}
            label=${label}
            value=${typed.types.includes(type)}
            onChange=${(on: boolean) => set({ types: events.map(([one]) => one).filter((one) => (one === type ? on : typed.types.includes(one))) })}
          />`,
      )}
    </fieldset>
    <${TextField}
      label="Only runs of this Orb"
      value=${typed.orb_id}
      onChange=${(orb_id: string) => set({ orb_id })}
      error=${errorOf('filter')}
      required=${false}
      code
    />
    <${SelectField}
      label="Body"
      value=${typed.format}
      onChange=${(format: string) => set({ format })}
      options=${formats}
    />
    <${CheckField}
      label="Include the outputs"
      hint=${errorOf('include') ?? 'Only if the Orbiset keeps outputs.'}
      value=${typed.outputs}
      onChange=${(outputs: boolean) => set({ outputs })}
    />
    <${FormEnd} of=${form} back="/callbacks" label="Create subscription" />
  </form>`;
}

interface Typed {
  readonly url: string;
  readonly types: readonly string[];
  readonly orb_id: string;
  readonly format: string;
  readonly outputs: boolean;
}

function useSubscription(orbiset: string, onMade: (made: Made) => void) {
  const [typed, setTyped] = useState<Typed>({
    ...{ url: '', types: events.map(([type]) => type), orb_id: '', format: 'standard', outputs: false },
  });
  const calling = useCall();
  const { orb_id, outputs, types, url, format } = typed;
  const filter = filled({ orb_id });
  const body = {
    ...{ url: url.trim(), types: types.length === events.length ? ['run.*'] : types, format },
    ...(outputs ? { include: ['outputs'] } : {}),
    ...('orb_id' in filter ? { filter } : {}),
  };
  const call: Call = { method: 'POST', path: `/orbisets/${encodeURIComponent(orbiset)}/subscriptions`, body };
  const errors = calling.problem?.errors ?? [];
  const missing = url.trim() === '' ? 'Enter an address.' : types.length === 0 ? 'Choose an event.' : undefined;
  return {
    ...{ ...calling, call, typed, missing },
    errorOf: (name: string) => errors.find(({ pointer }) => pointer.startsWith(`#/${name}`))?.detail,
    set: (part: Partial<Typed>) => setTyped({ ...typed, ...part }),
    create: () => (missing === undefined ? calling.send(call, onMade) : undefined),
  };
}
