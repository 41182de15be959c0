import { useEffect, useRef, useState } from 'preact/hooks';
import type { Call } from '../../frame/api.ts';
import { onSubmit, useCall } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import type { FieldFault } from '../../frame/problem.ts';
import { hrefOf } from '../../frame/router.ts';
import { ApiCall } from '../../parts/code.ts';
import { Dialog } from '../../parts/dialog.ts';
import { TextField } from '../../parts/field.ts';
import { SchemaForm, typedOf, valueOf, type FormSchema, type Typed } from '../../parts/form.ts';
import { Notice, ProblemNote } from '../../parts/notice.ts';
import { schemaOf, type Adapter, type Adapters, type ShownProvider } from './adapter.ts';
import { differenceOf, masked, withBlanks } from './difference.ts';
import { DifferenceTable } from './difference-table.ts';
import type { ProviderChange } from '../../frame/wire.ts';

/** A provider as the server has it, with its ETag. */
export interface Stored {
  readonly value: ShownProvider;
  readonly tag: string | undefined;
}

/** What the form is for. */
export interface ProviderFormProps {
  readonly adapter: Adapter;
  readonly adapters: Pick<Adapters, 'limits' | 'private_hosts'>;
  /** The provider that is changed; absent: a new one. */
  readonly stored?: Stored;
  /** Reads the provider again; what was typed stays. */
  readonly reread?: () => void;
  readonly onDone: (made: ProviderChange) => void;
}

/** Makes a provider of the store, or changes one: its settings, what differs, and its call with the key. */
export function ProviderForm(props: ProviderFormProps) {
  const { adapter, adapters, stored } = props;
  const form = useProviderForm(props);
  const frame = useRef<HTMLFormElement>(null);
  // Without it, a reader of a screen reader would have to look for the faulty field.
  useEffect(() => {
    if (form.errors.length > 0) frame.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [form.errors]);
  return html`<form class="panel stack" ref=${frame} onSubmit=${onSubmit(form.review)} novalidate>
    ${
      stored === undefined &&
      html`<${TextField}
        label="Name"
        hint="Small letters, digits and hyphens. Runs, receipts and charts show it; it cannot be changed."
        value=${form.name}
        onChange=${form.setName}
        error=${form.errors.find(({ pointer }) => pointer === '#/name')?.detail}
        code
      />`
    }
    <${SchemaForm}
      schema=${form.schema}
      typed=${form.typed}
      onChange=${form.setTyped}
      errors=${form.errors}
      kept=${stored?.value.secrets?.map((pointer) => `/config${pointer}`)}
    />
    <${PrivateHosts} of=${adapters.private_hosts} />
    <${Refused} of=${form} stored=${stored} reread=${props.reread} />
    <div class="row end">
      <a
        class="button button-quiet"
        href=${hrefOf(stored === undefined ? '/providers/new' : `/providers/stored/${stored.value.name}`)}
      >
        Cancel
      </a>
      <button class="button" type="submit">Review</button>
    </div>
    ${form.reviewing && html`<${Review} of=${form} adapter=${adapter} stored=${stored} />`}
  </form>`;
}

type Form = ReturnType<typeof useProviderForm>;

const nameRule = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

function useProviderForm({ adapter, adapters, onDone, stored }: ProviderFormProps) {
  const settings = schemaOf(adapter, adapters.limits);
  const schema: FormSchema = { properties: { adapter: { type: 'string' }, ...settings.properties } };
  const { config = {}, limits, secrets = [] } = stored?.value ?? {};
  const before = stored && {
    adapter: stored.value.adapter,
    config: withBlanks(config, secrets),
    ...(limits && { limits }),
  };
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<Typed>(() => typedOf(settings, before));
  const [faults, setFaults] = useState<readonly FieldFault[]>([]);
  const [reviewing, setReviewing] = useState(false);
  const [sentTag, setSentTag] = useState<string>();
  const calling = useCall();
  const { value, faults: found } = valueOf(settings, typed);
  const body = { adapter: adapter.name, ...value };
  const to = stored?.value.name ?? name.trim();
  // What another operator did meanwhile is not overwritten unseen.
  const headers = stored?.tag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': stored.tag };
  const call: Call = { method: 'PUT', path: `/providers/${encodeURIComponent(to)}`, body, headers, key: true };
  const review = (): void => {
    const named = nameRule.test(to) && to.length <= 64 ? [] : [nameFault];
    setFaults([...named, ...found]);
    setReviewing(named.length + found.length === 0);
  };
  const send = (): void => {
    setSentTag(stored?.tag);
    void calling.send(call, onDone, () => {
      setReviewing(false);
      setFaults([]);
    });
  };
  const close = (): void => setReviewing(false);
  // Once the provider was read again, the conflict is over.
  const problem = sentTag === stored?.tag ? calling.problem : undefined;
  const errors = faults.length > 0 ? faults : (problem?.errors ?? none);
  const shown: Call = { ...call, body: masked(body, schema) };
  const differences = differenceOf(before, body, schema);
  const fields = { name, setName, typed, setTyped, schema: settings };
  return { ...fields, ...calling, problem, errors, reviewing, review, send, close, to, shown, differences };
}

const none: readonly FieldFault[] = [];
const nameFault: FieldFault = {
  pointer: '#/name',
  detail: 'Enter a name of small letters, digits and hyphens, at most 64, with a letter or digit at both ends',
};

function Review({
  of: form,
  adapter,
  stored,
}: {
  readonly of: Form;
  readonly adapter: Adapter;
  readonly stored: Stored | undefined;
}) {
  const { busy, differences, shown, to } = form;
  const isNew = stored === undefined;
  return html`<${Dialog} title=${isNew ? `Add ${to}` : `Change ${to}`} onClose=${form.close}>
    <div class="stack">
      <p>
        ${
          isNew
            ? html`<strong>${to}</strong> with the adapter <code>${adapter.name}</code> is kept in the store for all
                nodes. It is a standby, after the providers of platform.json, until you swap an Orb to it.`
            : `The whole provider is replaced on all nodes. Where it serves an Orb, the new one is tested first; runs in progress finish on the old one.`
        }
        ${' '}The change leaves a receipt.
      </p>
      <${DifferenceTable} of=${differences} />
      <${ApiCall} call=${shown} />
      <div class="row end">
        <button class="button button-quiet" type="button" onClick=${form.close}>Back</button>
        <button class="button" type="button" disabled=${busy} onClick=${form.send}>
          ${busy ? 'Working…' : isNew ? 'Add provider' : 'Save changes'}
        </button>
      </div>
    </div>
  <//>`;
}

function PrivateHosts({ of }: { readonly of: Adapters['private_hosts'] }) {
  const names = of.map(({ host, port }) => html`<code>${port === undefined ? host : `${host}:${port}`}</code> `);
  return html`<p class="small muted">
    A provider added here reaches public addresses
    only${of.length > 0 && html`, and the private ones that platform.json allows: ${names}`}. The operator allows more
    in <code>plugins.stored-providers.config.private_hosts</code>.
  </p>`;
}

interface RefusedProps {
  readonly of: Pick<Form, 'problem' | 'to'>;
  readonly stored: Stored | undefined;
  readonly reread: (() => void) | undefined;
}

// Says a conflict in words, with the way out.
function Refused({ of: { problem, to }, stored, reread }: RefusedProps) {
  if (problem?.code !== 'precondition_failed') return html`<${ProblemNote} problem=${problem} />`;
  const open = html`<a href=${hrefOf(`/providers/stored/${encodeURIComponent(to)}`)}>Open it</a>`;
  if (stored === undefined)
    return html`<${Notice} tone="bad">
      <p role="alert">
        <strong>The store already has a provider ${to}.</strong> Choose another name. ${open} to change it.
      </p>
    <//>`;
  return html`<${Notice} tone="bad">
    <div role="alert">
      <p>
        <strong>Somebody else changed ${to} after you opened this form.</strong> Nothing was saved; your entries are
        still here.
      </p>
      <p>Read the current settings, then review again: the difference shows what your entries would replace.</p>
    </div>
    <p><button class="button button-quiet" type="button" onClick=${reread}>Read the current settings</button></p>
  <//>`;
}
