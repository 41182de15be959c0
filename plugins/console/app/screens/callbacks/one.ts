import { runEvents } from '../../frame/events.ts';
import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { useLiveList } from '../../frame/live.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { loaded } from '../../parts/notice.ts';
import { PrincipalName } from '../../parts/principal.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { eventsOf, Remove, Rotate, SubscriptionState, Turn } from './subscription.ts';
import type { Callback, Subscription } from '../../frame/wire.ts';

/** One subscription: how it is, its callbacks, and how to send one again. */
export function OneSubscription({ params: { subscription_id: id = '' }, query: { state = '' } }: ScreenProps) {
  const path = `/subscriptions/${encodeURIComponent(id)}`;
  const reading = useGet<Subscription>(path);
  const { value, reload } = reading;
  return html`<${Page}
    title=${value?.url ?? 'Subscription'}
    above=${{ href: hrefOf('/callbacks', { orbiset: value?.orbiset_id }), name: 'Callbacks' }}
    about=${html`<${Id} id=${id} />`}
    acts=${
      value &&
      html`<a class="button button-quiet" href=${hrefOf('/try', { orbiset_id: value.orbiset_id })}>Send a test</a
        ><${Turn} of=${value} onDone=${reload} /><${Rotate} of=${value} /><${Remove} of=${value} />`
    }
  >
    ${loaded(reading, (shown) => html`<${About} of=${shown} />`, 'Loading the subscription')}
    ${value && html`<${Sent} id=${id} state=${state} /><${ApiCall} call=${{ path }} />`}
  <//>`;
}

function About({ of }: { readonly of: Subscription }) {
  return html`<section class="panel stack">
    <${Facts}
      of=${[
        ['Status', html`<${SubscriptionState} of=${of} />`],
        ['Failing since', of.failing_since && html`<${Time} at=${of.failing_since} both />`],
        ['Events', eventsOf(of)],
        ['Body', of.format === 'cloudevents' ? 'CloudEvents' : 'Standard Webhooks'],
        ['Outputs', of.include?.includes('outputs') ? 'Included, if the Orbiset keeps them' : 'Not included'],
        ['Orbiset', of.orbiset_id],
        ['Created', html`<${Time} at=${of.created_at} both />`],
        ['Created by', html`<${PrincipalName} of=${of.created_by} />`],
      ]}
    />
    <p class="small muted">To send a test, run an Orb of the Orbiset as a test: its end sends a callback.</p>
  </section>`;
}

const names = ['callback', 'callbacks'] as const;
const states = [['', 'All'], ...['waiting', 'delivered', 'dead'].map((one) => [one, one])];

function Sent({ id, state }: { readonly id: string; readonly state: string }) {
  const path = withQuery(`/subscriptions/${encodeURIComponent(id)}/callbacks`, { limit: 20, state });
  const list = useLiveList<Callback>({
    ...{ path, member: 'callbacks', idOf: ({ callback_id }) => callback_id, types: runEvents, names },
  });
  const choose = (value: string): void => go(hrefOf(`/callbacks/${id}`, { state: value }), { replace: true });
  return html`<section class="stack">
    <h2>Callbacks</h2>
    <div class="filters">
      <${SelectField} label="Status" value=${state} onChange=${choose} options=${states} />
      <div class="row">
        <button class="button button-quiet" type="button" onClick=${() => void list.refresh()}>Refresh</button>
      </div>
      <${LiveBar} list=${list} names=${names} />
    </div>
    <${ListTable}
      list=${list}
      caption="Callbacks"
      columns=${columnsFor(id, () => void list.refresh())}
      empty=${html`<p class="muted">No callbacks${state !== '' && ` are ${state}`}.</p>`}
      more="Older callbacks"
    />
  </section>`;
}

const tones = { waiting: 'warn', delivered: 'good', dead: 'bad' } as const;

const columnsFor = (subscription: string, onDone: () => void): readonly Column<Callback>[] => [
  { title: 'Created', cell: ({ made_at }) => html`<${Time} at=${made_at} />` },
  { title: 'Event', cell: ({ type }) => type },
  { title: 'Status', cell: ({ state }) => html`<${Status} of=${state} tone=${tones[state]} />` },
  { title: 'Attempts', figures: true, cell: ({ tries }) => tries },
  {
    title: 'Last attempt',
    cell: ({ last_at, failure }) =>
      html`<${Time} at=${last_at} /> ${failure !== undefined && html`<p class="small muted wide-cell">${failure}</p>`}`,
  },
  { title: 'Next attempt', cell: ({ next_at }) => html`<${Time} at=${next_at} />` },
  { title: 'Run', cell: ({ run_id }) => html`<${Id} id=${run_id} href=${hrefOf(`/runs/${run_id}`)} />` },
  {
    title: 'Actions',
    cell: (callback) =>
      callback.state !== 'delivered' && html`<${Redeliver} of=${{ ...callback, subscription }} onDone=${onDone} />`,
  },
];

type Sending = Pick<Callback, 'callback_id'> & { readonly subscription: string };

function Redeliver({ of: { callback_id: id, subscription }, onDone }: ActOn<Sending>) {
  const path = `/subscriptions/${encodeURIComponent(subscription)}/callbacks/${encodeURIComponent(id)}/redeliver`;
  return html`<${Act}
    label="Send again"
    title="Send the callback again"
    says=${html`<p>
      It is sent now, with the same id: a receiver that already processed it ignores it. If it fails, the server tries
      again later.
    </p>`}
    call=${{ method: 'POST', path }}
    done="The callback is sent again"
    onDone=${onDone}
  />`;
}
