import { useState } from 'preact/hooks';
import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { useLiveList } from '../../frame/live.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { SelectField } from '../../parts/field.ts';
import { ListTable } from '../../parts/list-table.ts';
import { LiveBar } from '../../parts/live-bar.ts';
import { Empty } from '../../parts/notice.ts';
import { PrincipalName } from '../../parts/principal.ts';
import type { Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { State } from './approval.ts';
import { DecideDialog, type DecideProps } from './decide.ts';
import { approvalEvents } from './events.ts';
import type { ApprovalPage, ApprovalSummary } from '../../frame/wire.ts';

const names = ['approval', 'approvals'] as const;
const states = ['open', 'ended', 'all'].map((one) => [one, one] as const);

/** Lists the runs that wait for people, and those that did; open ones are decided here, one or several. */
export function Approvals({ query: { state = 'open', group = '' } }: ScreenProps) {
  const path = withQuery('/approvals', { state: state === 'all' ? undefined : state, group, limit: 50 });
  const list = useLiveList<ApprovalSummary>({
    ...{ path, member: 'approvals', idOf: ({ approval_id }) => approval_id, types: approvalEvents, names },
  });
  const groups = useGet<ApprovalPage>('/approvals?limit=1').value?.groups ?? [];
  const choose = (name: string) => (value: string) =>
    go(hrefOf('/approvals', { state, group, [name]: value }), { replace: true });
  const known = [...new Set([...groups, group])].filter((one) => one !== '').map((one) => [one, one]);
  const deciding = useDeciding(list.items);
  return html`<${Page} title="Approvals" about="Runs that a policy holds until people have approved them.">
    <div class="filters">
      <${SelectField} label="Status" value=${state} onChange=${choose('state')} options=${states} />
      <${SelectField} label="Group" value=${group} onChange=${choose('group')} options=${[['', 'all'], ...known]} />
      <${LiveBar} list=${list} names=${names} />
    </div>
    <${Several} of=${deciding} />
    <${ListTable}
      list=${list}
      caption="Approvals"
      columns=${columnsFor(deciding)}
      empty=${html`<${Empty} title=${state === 'open' ? 'Nothing waits for you' : 'No approvals match the filters'}>
        <p>
          New ones appear here automatically. <a href=${hrefOf('/approvals', { state: 'all' })}>Show all approvals</a>
        </p>
      <//>`}
      more="Show older approvals"
    />
    ${
      deciding.open &&
      html`<${DecideDialog}
        ...${deciding.open}
        onClose=${() => {
          deciding.close();
          void list.refresh();
        }}
      />`
    }
  <//>`;
}

type Decision = DecideProps['decision'];

function useDeciding(items: readonly ApprovalSummary[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Pick<DecideProps, 'ids' | 'decision'>>();
  const waiting = items.filter(({ state }) => state === 'open').map(({ approval_id }) => approval_id);
  const ids = waiting.filter((id) => chosen.has(id));
  const mark = (id: string, on: boolean): void =>
    setChosen(new Set(on ? [...ids, id] : ids.filter((one) => one !== id)));
  return {
    ...{ ids, waiting, open, mark, isChosen: (id: string) => chosen.has(id) },
    markAll: (on: boolean) => setChosen(new Set(on ? waiting : [])),
    decide: (decision: Decision, all: readonly string[]) => setOpen({ decision, ids: all }),
    close: () => setOpen(undefined),
  };
}

type DecidingState = ReturnType<typeof useDeciding>;

const acts = [
  ['approve', 'Approve'],
  ['refuse', 'Refuse'],
] as const;

// Stands above the table from the first open approval on, so that the table does not move when one is marked.
function Several({ of: { decide, ids, markAll, waiting } }: { readonly of: DecidingState }) {
  if (waiting.length < 2) return null;
  return html`<div class="row" role="group" aria-label="Decide several">
    <label class="pick">
      <input
        type="checkbox"
        checked=${ids.length === waiting.length}
        onChange=${(event: Event) => markAll((event.currentTarget as HTMLInputElement).checked)}
      />
      Select all ${waiting.length}
    </label>
    ${acts.map(
      ([decision, label]) =>
        html`<button
          class=${`button button-quiet${decision === 'refuse' ? ' button-danger' : ''}`}
          type="button"
          disabled=${ids.length === 0}
          onClick=${() => decide(decision, ids)}
        >
          ${`${label} selected (${ids.length})`}
        </button>`,
    )}
  </div>`;
}

const columnsFor = (deciding: DecidingState): readonly Column<ApprovalSummary>[] => [
  {
    title: 'Orb',
    cell: ({ approval_id: id, orb_id, mode, state }) => [
      state === 'open' && html`<${Pick} id=${id} of=${deciding} /> `,
      html`<a href=${hrefOf(`/approvals/${id}`)}>${orb_id}</a>`,
      mode === 'sandbox' && html` <span class="chip">sandbox</span>`,
    ],
  },
  { title: 'Status', cell: ({ state }) => html`<${State} of=${state} />` },
  { title: 'Requester', cell: ({ principal }) => html`<${PrincipalName} of=${principal} />` },
  { title: 'Policy', cell: ({ policies }) => policies.join(', ') },
  { title: 'Approvers', cell: ({ approvers }) => approvers.join(', ') },
  { title: 'Requested', cell: ({ created_at }) => html`<${Time} at=${created_at} />` },
  { title: 'Expires', cell: ({ expires_at }) => html`<${Time} at=${expires_at} />` },
  {
    title: 'Actions',
    cell: ({ approval_id: id, state }) =>
      state === 'open' &&
      html`<span class="row tight">
        ${acts.map(
          ([decision, label]) =>
            html`<button
              class=${`button button-quiet${decision === 'refuse' ? ' button-danger' : ''}`}
              type="button"
              onClick=${() => deciding.decide(decision, [id])}
            >
              ${label}
            </button>`,
        )}
      </span>`,
  },
];

function Pick({ id, of: { isChosen, mark } }: { readonly id: string; readonly of: DecidingState }) {
  return html`<input
    class="pick"
    type="checkbox"
    aria-label=${`Select approval ${id}`}
    checked=${isChosen(id)}
    onChange=${(event: Event) => mark(id, (event.currentTarget as HTMLInputElement).checked)}
  />`;
}
