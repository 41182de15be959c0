import { withQuery } from '../../frame/api.ts';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, type Reading } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import { ApiCall } from '../../parts/code.ts';
import { loaded, Notice } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import { percentOf, providerEvents, whyDown } from '../providers/provider.ts';
import { SwapHistory } from '../providers/history.ts';
import { Health } from './health.ts';
import { Incidents } from './incidents.ts';
import { FailedRuns } from './failed-runs.ts';
import { Figures } from './figures.ts';
import { SendTest } from './send-test.ts';
import type { ProviderDetail, ProviderRow, ProviderStatus } from '../../frame/wire.ts';

interface Matrix {
  readonly orbs: readonly ProviderStatus[];
}

/** One provider: why it is down, which runs failed for it, how it was, and where it is used and configured. */
export function ProviderScreen({ params: { name = '' } }: ScreenProps) {
  const path = withQuery('/providers', { limit: 100, provider: name });
  const matrix = useGet<Matrix>(path);
  const stored = useKnown('providers:manage');
  const detail = useGet<ProviderDetail>(stored ? `/providers/${encodeURIComponent(name)}` : undefined);
  const tests = useScope('providers:manage');
  const again = (): void => {
    matrix.reload();
    detail.reload();
  };
  useEvents(providerEvents, again, again);
  const test = detail.value?.test;
  return html`<${Page}
    title=${name}
    above=${{ href: hrefOf('/providers'), name: 'Providers' }}
    about="Its health, the runs that failed for it, and where it is used."
    acts=${tests && test && html`<${SendTest} name=${name} of=${test} onDone=${again} />`}
  >
    ${loaded(matrix, ({ orbs }) => html`<${Now} name=${name} orbs=${orbs} detail=${detail} />`)}
    <${FailedRuns} name=${name} />
    <${Health} name=${name} />
    <${Figures} name=${name} />
    <${Incidents} name=${name} />
    <${SwapHistory} title="Swaps to and from it" provider=${name} />
    <${ApiCall} call=${{ path }} />
  <//>`;
}

interface NowProps {
  readonly name: string;
  readonly orbs: readonly ProviderStatus[];
  readonly detail: Reading<ProviderDetail>;
}

function Now({ name, orbs, detail: { value: detail, problem } }: NowProps) {
  const rows = orbs.flatMap(({ providers }) => providers.filter((one) => one.name === name));
  const [row] = rows;
  const adapter = row?.adapter ?? detail?.adapter;
  return html`${row && html`<${Why} of=${row} />`}
    ${row === undefined && html`<${Unused} missing=${problem?.status === 404} />`}
    <section class="panel">
      <${Facts}
        of=${[
          ['Health', row && html`<${Status} of=${row.health} />`],
          ['Circuit breaker', row && html`<${Breaker} of=${row} />`],
          ['Errors, last 5 minutes', row && percentOf(row.error_rate)],
          ['p95 of its calls', row && durationOf(row.p95_ms)],
          ['Runs that use it now', row && rows.reduce((sum, { in_flight }) => sum + in_flight, 0)],
          ['Orbs', orbs.length > 0 && html`<${Orbs} name=${name} of=${orbs} />`],
          ['Adapter', adapter && html`<${Adapter} name=${adapter} />`],
          ['Configured in', html`<${Origin} row=${row} detail=${detail} />`],
          [
            'Settings',
            detail && html`<a href=${hrefOf(`/providers/stored/${encodeURIComponent(name)}`)}>Show settings</a>`,
          ],
        ]}
      />
    </section>`;
}

function Why({ of: row }: { readonly of: ProviderRow }) {
  const { health, name, probe_failure: probe, call_failure: call } = row;
  if (health === 'up' || health === 'unknown') return null;
  const newest = (probe?.at ?? '') >= (call?.at ?? '') ? probe : call;
  const why = whyDown(row) ?? newest;
  return html`<${Notice} tone=${health === 'down' ? 'bad' : 'warn'}>
    <p>
      <strong>${name} is ${health}</strong>${why && html` since a failure at <${Time} at=${why.at} />: ${why.reason}`}
    </p>
  <//>`;
}

function Unused({ missing }: { readonly missing: boolean }) {
  return html`<${Notice} tone=${missing ? 'bad' : 'warn'}>
    <p>
      ${
        missing
          ? 'There is no such provider now. Its past is shown below.'
          : 'No Orb uses it: it is not in the order of any Orb, so its health is not measured. Swap an Orb to it, or send a test.'
      }
    </p>
  <//>`;
}

// Of a breaker, closed is the good state.
function Breaker({ of: { breaker, breaker_since } }: { readonly of: ProviderRow }) {
  return html`<${Status} of=${breaker} tone=${breaker === 'closed' ? 'good' : 'bad'} />
    ${breaker_since && html` since <${Time} at=${breaker_since} />`}
    ${breaker === 'open' && html`<span class="muted"> It is not called for a while after repeated failures.</span>`}`;
}

function Orbs({ name, of }: { readonly name: string; readonly of: readonly ProviderStatus[] }) {
  return html`<ul class="plain">
    ${of.map(({ orb_id, providers }) => {
      const role = providers.find((one) => one.name === name)?.role;
      return html`<li key=${orb_id}>
        <a href=${hrefOf(`/providers/${encodeURIComponent(orb_id)}`)}>${orb_id}</a>
        <span class="muted"> ${role}</span>
      </li>`;
    })}
  </ul>`;
}

function Adapter({ name }: { readonly name: string }) {
  return html`<code>${name}</code> <a href=${`/docs/providers/${name.replace('/', '-')}`}>Settings of this adapter</a>`;
}

function Origin({
  row,
  detail,
}: {
  readonly row: ProviderRow | undefined;
  readonly detail: ProviderDetail | undefined;
}) {
  const origin = detail?.origin ?? row?.origin;
  if (origin === undefined) return html`<span class="muted">–</span>`;
  if (origin === 'file') return html`<code>platform.json</code>`;
  const { changed_at, name, receipt_id } = detail ?? {};
  return html`${name === undefined ? 'the store' : html`<a href=${hrefOf(`/providers/stored/${name}`)}>the store</a>`}${changed_at && html`, changed <${Time} at=${changed_at} />`}
  ${receipt_id && html` <a href=${hrefOf(`/receipts/${receipt_id}`)}>Receipt of the change</a>`}`;
}
