import { useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { ifMatch, useTagged } from '../../frame/tagged.ts';
import { Act } from '../../parts/act.ts';
import { Json } from '../../parts/code.ts';
import { Empty, loaded, Notice } from '../../parts/notice.ts';
import { IdLink } from '../../parts/id-link.ts';
import { Facts } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { providerEvents } from '../providers/provider.ts';
import { SendTest } from '../provider/send-test.ts';
import { useAdapters, type ShownProvider } from './adapter.ts';
import { ChangeResult } from './result.ts';
import { ProviderForm, type Stored } from './form.ts';
import { UsedBy } from './used-by.ts';
import type { ProviderChange } from '../../frame/wire.ts';

const above = { href: hrefOf('/providers'), name: 'Providers' };
const pathOf = (name: string): string => `/providers/stored/${encodeURIComponent(name)}`;

/** Shows a provider by name; one of the store can be changed and removed, one of the file says why not. */
export function StoredProvider({ params, query }: ScreenProps) {
  const name = params['name'] ?? '';
  const reading = useTagged<ShownProvider>(`/providers/${encodeURIComponent(name)}`);
  const manages = useScope('providers:manage');
  const [made, setMade] = useState<ProviderChange>();
  const { value: stored, reload } = reading;
  const done = (change: ProviderChange): void => {
    setMade(change);
    announce(`${name} was changed`);
    reload();
    go(hrefOf(pathOf(name)), { replace: true });
  };
  const changing = query['change'] !== undefined && manages && stored?.value.origin === 'store';
  // The form keeps the ETag of what it began with, so that a conflict is seen.
  const follow = (): void => (changing ? undefined : reload());
  useEvents(providerEvents, follow, follow);
  const acts = !changing && manages && stored !== undefined && html`<${Acts} of=${stored} onTest=${reload} />`;
  return html`<${Page}
    title=${changing ? `Change ${name}` : name}
    above=${changing ? { href: hrefOf(pathOf(name)), name } : above}
    acts=${acts}
  >
    ${
      made &&
      !changing &&
      html`<${Notice} tone="good"
          ><p><strong>${name} was changed.</strong></p><//
        ><${ChangeResult} of=${made} />`
    }
    ${loaded(reading, (of) => (changing ? html`<${ChangeForm} of=${of} reread=${reload} onDone=${done} />` : html`<${Shown} of=${of.value} />`))}
  <//>`;
}

interface ChangeFormProps {
  readonly of: Stored;
  readonly reread: () => void;
  readonly onDone: (made: ProviderChange) => void;
}

function ChangeForm({ of, reread, onDone }: ChangeFormProps) {
  const reading = useAdapters();
  return loaded(reading, (adapters) => {
    const adapter = adapters.adapters.find(({ name }) => name === of.value.adapter);
    if (adapter === undefined)
      return html`<${Empty} title="Its adapter is not there"
        ><p>
          This version of the server has no adapter <code>${of.value.adapter}</code>. Remove the provider, or add it
          again with another adapter.
        </p><//
      >`;
    return html`<${ProviderForm}
      adapter=${adapter}
      adapters=${adapters}
      stored=${of}
      reread=${reread}
      onDone=${onDone}
    />`;
  });
}

function Acts({ of: { tag, value }, onTest }: { readonly of: Stored; readonly onTest: () => void }) {
  const { active_for, name, origin, test } = value;
  const sendTest = test && html`<${SendTest} name=${name} of=${test} onDone=${onTest} />`;
  if (origin === 'file') return sendTest;
  const headers = ifMatch(tag);
  return html`${sendTest}
    <a class="button" href=${hrefOf(pathOf(name), { change: 'yes' })}>Change</a>
    ${
      active_for.length === 0 &&
      html`<${Act}
        label="Remove"
        title=${`Remove ${name}`}
        says=${html`<p>
          Erases the provider with its secrets from the store, on all nodes. Past runs and receipts keep its name. This
          cannot be undone. The removal leaves a receipt.
        </p>`}
        call=${{ method: 'DELETE', path: `/providers/${encodeURIComponent(name)}`, headers, key: true }}
        word=${name}
        danger
        done=${`${name} was removed`}
        onDone=${() => go(hrefOf('/providers'))}
      />`
    }`;
}

function Shown({ of }: { readonly of: ShownProvider }) {
  const { active_for, config, limits, name, origin } = of;
  const settings = limits === undefined ? { config } : { config, limits };
  return html`${
      origin === 'file' &&
      html`<${Notice}>
        <p>
          <strong>platform.json defines ${name}, so it is read-only here.</strong> Change it in the file, then reload
          the configuration under <a href=${hrefOf('/providers')}>Providers</a>. Its settings are not shown, because
          they can come from variables and files of the server.
        </p>
      <//>`
    }
    ${
      origin === 'store' &&
      active_for.length > 0 &&
      html`<p class="muted">It serves an Orb, so it cannot be removed: swap that Orb to another provider first.</p>`
    }
    <section class="panel stack" aria-label="Settings">
      <${ProviderFacts} of=${of} />
      ${config && html`<${Json} value=${settings} label="settings without secrets" />`}
    </section>
    <${UsedBy} of=${of} />`;
}

function ProviderFacts({ of }: { readonly of: ShownProvider }) {
  const { active_for, adapter, capability, changed_at, config_digest, name, origin, receipt_id, secrets = [] } = of;
  const serves = active_for.map(
    (orb) => html`<li><a href=${hrefOf(`/providers/${encodeURIComponent(orb)}`)}>${orb}</a></li>`,
  );
  const names = secrets.map((pointer) => html`<code>${pointer}</code> `);
  return html`<${Facts}
    of=${[
      ['Adapter', html`<code>${adapter}</code>`],
      ['Capability', capability],
      ['Defined in', origin === 'file' ? 'platform.json' : 'the store'],
      ['Health', html`<a href=${hrefOf(`/providers/-/${encodeURIComponent(name)}`)}>Health, failures and figures</a>`],
      [
        'Serves',
        serves.length === 0
          ? 'no Orb'
          : html`<ul class="plain">
              ${serves}
            </ul>`,
      ],
      ['Changed', changed_at && html`<${Time} at=${changed_at} both />`],
      ['Receipt', receipt_id && html`<${IdLink} id=${receipt_id} />`],
      ['Digest', html`<code>${config_digest}</code>`],
      ['Secrets', names.length > 0 && html`${names} <span class="muted">set, not shown</span>`],
    ]}
  />`;
}
