import { useState } from 'preact/hooks';
import type { Call } from '../../frame/api.ts';
import { onSubmit, useCall } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { FormEnd } from '../../parts/form-end.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { loaded } from '../../parts/notice.ts';
import { TestSource } from './acts.ts';
import { Once, SetupSteps } from './setup.ts';
import { SubjectFields, subjectsOf, typedOf } from './subjects.ts';
import type { CreatedSource, Vendor } from '../../frame/wire.ts';

const above = { href: hrefOf('/sources'), name: 'Sources' };

/** Makes a source: who sends, what it may name; then what to enter at the vendor, once. */
export function CreateSource() {
  const list = useGet<{ readonly vendors: readonly Vendor[] }>('/sources/vendors');
  const [made, setMade] = useState<CreatedSource>();
  if (made !== undefined) return html`<${MadeSource} of=${made} />`;
  return html`<${Page} title="New source" about="A monitoring service whose webhooks create incidents." above=${above}>
    ${loaded(list, ({ vendors }) => html`<${SourceForm} vendors=${vendors} onMade=${setMade} />`)}
  <//>`;
}

function MadeSource({ of }: { readonly of: CreatedSource }) {
  const { source_id, name } = of.source;
  const acts = html`<${TestSource} id=${source_id} main />
    <a class="button button-quiet" href=${hrefOf(`/sources/${source_id}`)}>I have saved them</a>`;
  return html`<${Page}
    title=${`${name} is ready`}
    about="Enter these settings at the vendor, then send a test."
    above=${above}
    acts=${acts}
  >
    <section class="panel"><${Once} of=${of} /></section>
  <//>`;
}

type OnMade = (made: CreatedSource) => void;

function SourceForm({ vendors, onMade }: { readonly vendors: readonly Vendor[]; readonly onMade: OnMade }) {
  const form = useNewSource(vendors, onMade);
  const { chosen } = form;
  return html`<div class="columns">
    <form class="panel stack" onSubmit=${onSubmit(form.create)}>
      <h2>Source</h2>
      <${TextField} label="Name" value=${form.name} onChange=${form.setName} />
      <${SelectField}
        label="Vendor"
        value=${chosen?.vendor ?? ''}
        onChange=${form.setVendor}
        options=${vendors.map(({ vendor }) => [vendor, vendor])}
      />
      ${
        (chosen?.schemes.length ?? 0) > 1 &&
        html`<${SelectField}
          label="Authentication"
          hint="How deliveries prove that the vendor sent them."
          value=${form.scheme}
          onChange=${form.setScheme}
          options=${chosen?.schemes.map((one) => [one, one])}
        />`
      }
      <${TextField}
        label="Secret of the vendor"
        hint="Only if the vendor creates the secret. Leave empty to create one here."
        value=${form.secret}
        onChange=${form.setSecret}
        type="password"
        required=${false}
      />
      <fieldset>
        <legend>Can report on</legend>
        <div class="stack"><${SubjectFields} typed=${form.subjects} onChange=${form.setSubjects} /></div>
      </fieldset>
      <${FormEnd} of=${form} back="/sources" label="Create source" />
    </form>
    ${
      chosen &&
      html`<section class="panel stack" aria-label="At the vendor">
        <h2>Settings to enter at ${chosen.vendor}</h2>
        <${SetupSteps} of=${chosen.setup} />
      </section>`
    }
  </div>`;
}

function useNewSource(vendors: readonly Vendor[], onMade: OnMade) {
  const [name, setName] = useState('');
  const [vendor, setVendor] = useState(vendors[0]?.vendor ?? '');
  const [wanted, setScheme] = useState('');
  const [secret, setSecret] = useState('');
  const [subjects, setSubjects] = useState(() => typedOf({}));
  const calling = useCall();
  const chosen = vendors.find((one) => one.vendor === vendor);
  const scheme = chosen?.schemes.find((one) => one === wanted) ?? chosen?.schemes[0] ?? '';
  const may_name = subjectsOf(subjects);
  const body = {
    ...{ name: name.trim(), vendor },
    ...(scheme === chosen?.schemes[0] ? {} : { auth: { scheme } }),
    ...(Object.keys(may_name).length === 0 ? {} : { may_name }),
  };
  const call: Call = { method: 'POST', path: '/sources', body: secret === '' ? body : { ...body, secret } };
  const missing = name.trim() === '' ? 'Enter a name.' : undefined;
  const create = () => (missing === undefined ? calling.send(call, onMade) : undefined);
  const fields = { name, setName, setVendor, scheme, setScheme, secret, setSecret, subjects, setSubjects };
  return { ...fields, ...calling, chosen, call, missing, create };
}
