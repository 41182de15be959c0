import { useState } from 'preact/hooks';
import { filled, withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { Act } from '../../parts/act.ts';
import { TextField, TextFields, type Texts } from '../../parts/field.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Id, Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { Namespace } from '../../frame/wire.ts';

/** Lists who may publish in which namespace, grants and revokes. */
export function Namespaces() {
  const list = useGet<{ readonly namespaces: readonly Namespace[] }>('/namespaces');
  const { reload } = list;
  const columns: readonly Column<Namespace>[] = [
    { title: 'Namespace', cell: ({ namespace }) => html`<code>${namespace}</code>` },
    {
      title: 'Status',
      cell: ({ state }) => html`<${Status} of=${state} tone=${state === 'granted' ? 'good' : 'bad'} />`,
    },
    { title: 'Tenant', cell: ({ owner }) => owner.tenant },
    {
      title: 'Principal',
      cell: ({ owner }) =>
        owner.principal === undefined ? 'any of the tenant' : html`<${Id} id=${owner.principal} />`,
    },
    { title: 'Signing key', cell: ({ manifest_key }) => (manifest_key === undefined ? 'none' : 'granted') },
    { title: 'Changed', cell: ({ at }) => html`<${Time} at=${at} />` },
    { title: 'Reason', cell: ({ reason = '' }) => html`<div class="wide-cell">${reason}</div>` },
    {
      title: 'Actions',
      cell: ({ namespace, state }) =>
        state === 'granted' && html`<${Revoke} namespace=${namespace} onDone=${reload} />`,
    },
  ];
  return html`<${Page}
    title="Namespaces"
    above=${{ href: hrefOf('/reputation'), name: 'Reputation' }}
    about="Namespaces and the tenants that can publish in them. Revoked namespaces stay in this list."
    acts=${html`<${Grant} onDone=${reload} />`}
  >
    ${loaded(
      list,
      ({ namespaces }) =>
        html`<${Table}
          caption="Namespaces"
          columns=${columns}
          rows=${namespaces}
          rowKey=${({ namespace }: Namespace) => namespace}
          empty=${html`<${Empty} title="No namespaces yet"><p>Grant a namespace, so that its owner can publish.</p><//>`}
        />`,
    )}
  <//>`;
}

const shape = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*$/;

function Grant({ onDone }: { readonly onDone: () => void }) {
  const [typed, setTyped] = useState<Texts>({});
  const { namespace = '', ...owner } = filled(typed);
  const fits = shape.test(namespace);
  const fields = [
    {
      ...{ name: 'namespace', label: 'Namespace', code: true },
      hint: 'The name of an Orb without its last part: acme.mail for acme.mail.send.',
      error:
        namespace === '' || fits ? undefined : 'Use lower-case letters, digits, - and _, in parts separated by dots.',
    },
    { name: 'tenant', label: 'Tenant', hint: 'Leave empty to use your tenant.', required: false, code: true },
    {
      ...{ name: 'principal', label: 'Only this principal', required: false, code: true },
      hint: 'prn_…; else anybody of the tenant.',
    },
  ];
  return html`<${Act}
    label="Grant a namespace"
    main
    says=${html`<p>Its owner may publish Orbs whose names begin with it. Granting one again changes its owner; the key stays.</p>`}
    call=${{
      method: 'POST',
      path: '/namespaces',
      body: { namespace, ...(Object.keys(owner).length === 0 ? {} : { owner }) },
    }}
    missing=${fits ? undefined : 'Enter a namespace.'}
    onDone=${onDone}
    done="The namespace is granted"
  >
    <${TextFields} of=${fields} typed=${typed} onChange=${setTyped} />
  <//>`;
}

function Revoke({ namespace, onDone }: { readonly namespace: string; readonly onDone: () => void }) {
  const [reason, setReason] = useState('');
  return html`<${Act}
    label="Revoke"
    title=${`Revoke ${namespace}`}
    danger
    says=${html`<p>Stops publications in <code>${namespace}</code> and suspends all its Orbs until you grant it again.</p>`}
    call=${{ method: 'DELETE', path: withQuery(`/namespaces/${namespace}`, { reason }) }}
    word=${namespace}
    onDone=${onDone}
    done="The namespace is revoked"
  >
    <${TextField} label="Reason" hint="The log keeps it." value=${reason} onChange=${setReason} required=${false} />
  <//>`;
}
