import { useState } from 'preact/hooks';
import type { Call } from '../../frame/api.ts';
import { onSubmit, useCall } from '../../frame/call.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { takesKey, useSession } from '../../frame/session.ts';
import { FormEnd } from '../../parts/form-end.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { Notice } from '../../parts/notice.ts';
import { ShownOnce } from './new-key.ts';
import { askedScopes } from './scope-groups.ts';
import { ScopePicker, type Picked } from './scope-picker.ts';
import type { CreatedKey } from '../../frame/wire.ts';

const lifetimes: readonly (readonly [days: string, name: string])[] = [
  ['90', '90 days'],
  ['30', '30 days'],
  ['365', 'A year'],
  ['', 'Never'],
];
const dayMs = 86_400_000;

/** Makes a key: what it is for, what it may do, how long. */
export function CreateKey() {
  const form = useNewKey();
  const { picked, made } = form;
  return html`<${Page} title="New key" about="A key for one program or one person." above=${above}>
    <form class="stack" onSubmit=${onSubmit(form.create)}>
      <${Purpose} of=${form} />
      <section class="panel stack">
        <h2>Scopes</h2>
        <${ScopePicker} picked=${picked} onChange=${form.setPicked} />
        ${
          picked.scopes.has('*') &&
          html`<${Notice} tone="warn">
            <p>A key with <code>*</code> has full access. To create it, you must enter your own key again.</p>
          <//>`
        }
      </section>
      <${FormEnd} of=${form} back="/keys" label="Create key" busy="Working…" />
    </form>
    ${made && html`<${ShownOnce} made=${made} onClose=${() => go(hrefOf(`/keys/${made.key_id}`))} />`}
  <//>`;
}

function useNewKey() {
  const session = useSession();
  const own = session.mode;
  const [name, setName] = useState('');
  const [mode, setMode] = useState<string>(own);
  const [days, setDays] = useState('90');
  const [picked, setPicked] = useState<Picked>({ scopes: new Set(), narrowed: {} });
  const [begun] = useState(() => serverNow());
  const [made, setMade] = useState<CreatedKey>();
  const calling = useCall();
  const scopes = askedScopes(picked.scopes, picked.narrowed);
  const expires = days === '' ? {} : { expires_at: new Date(begun + Number(days) * dayMs).toISOString() };
  const body = { name: name.trim(), scopes, mode, ...expires };
  const call: Call = { method: 'POST', path: '/keys', body, key: takesKey(session, scopes) };
  const missing = name.trim() === '' ? 'Enter a name.' : scopes.length === 0 ? 'Choose at least one scope.' : undefined;
  const create = () => (missing === undefined ? calling.send(call, setMade) : undefined);
  const fields = { own, name, setName, mode, setMode, days, setDays, picked, setPicked };
  return { ...fields, ...calling, call, missing, made, create };
}

function Purpose({ of: form }: { readonly of: ReturnType<typeof useNewKey> }) {
  return html`<section class="panel stack">
    <h2>Name and expiry</h2>
    <div class="filters wide">
      <${TextField}
        label="Name"
        hint="The program or person that uses it."
        value=${form.name}
        onChange=${form.setName}
      />
      <${SelectField}
        label="Expires"
        hint="An expiry date means that a forgotten key stops working."
        value=${form.days}
        onChange=${form.setDays}
        options=${lifetimes}
      />
      <${SelectField}
        label="Mode"
        hint="A test key uses sandbox providers only."
        value=${form.mode}
        onChange=${form.setMode}
        options=${form.own === 'test' ? modes.slice(1) : modes}
      />
    </div>
  </section>`;
}

const above = { href: hrefOf('/keys'), name: 'Keys' };
const modes = [
  ['live', 'Live'],
  ['test', 'Test'],
] as const;
