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
import { Status } from '../../parts/status.ts';
import { Id, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { ApprovalPage, ApprovalSummary } from '../../frame/wire.ts';

/** The types of the events that change approvals. */
export const approvalEvents = ['approval.asked', 'approval.decided', 'run.denied', 'run.cancelled'] as const;

const names = ['approval', 'approvals'] as const;

const columns: readonly Column<ApprovalSummary>[] = [
  {
    title: 'Orb',
    cell: ({ approval_id: id, orb_id, mode }) => [
      html`<a href=${hrefOf(`/approvals/${id}`)}>${orb_id}</a>`,
      mode === 'sandbox' && html` <span class="chip">sandbox</span>`,
    ],
  },
  { title: 'Status', cell: ({ state }) => html`<${State} of=${state} />` },
  { title: 'Requester', cell: ({ principal }) => html`<${Id} id=${principal} />` },
  { title: 'Requested', cell: ({ created_at }) => html`<${Time} at=${created_at} />` },
  { title: 'Expires', cell: ({ expires_at }) => html`<${Time} at=${expires_at} />` },
];

const states = ['open', 'ended', 'all'].map((one) => [one, one] as const);

/** Shows whether an approval is open, or how it ended. */
export function State({ of }: { readonly of: ApprovalSummary['state'] }) {
  return html`<${Status} of=${of} tone=${of === 'open' ? 'warn' : undefined} />`;
}

/** Lists the runs that wait for people, and those that did. */
export function Approvals({ query: { state = 'open', group = '' } }: ScreenProps) {
  const path = withQuery('/approvals', { state: state === 'all' ? undefined : state, group, limit: 50 });
  const list = useLiveList<ApprovalSummary>({
    ...{ path, member: 'approvals', idOf: ({ approval_id }) => approval_id, types: approvalEvents, names },
  });
  const groups = useGet<ApprovalPage>('/approvals?limit=1').value?.groups ?? [];
  const choose = (name: string) => (value: string) =>
    go(hrefOf('/approvals', { state, group, [name]: value }), { replace: true });
  const known = [...new Set([...groups, group])].filter((one) => one !== '').map((one) => [one, one]);
  return html`<${Page} title="Approvals" about="Runs that a policy holds until people have approved them.">
    <div class="filters">
      <${SelectField} label="Status" value=${state} onChange=${choose('state')} options=${states} />
      <${SelectField} label="Group" value=${group} onChange=${choose('group')} options=${[['', 'all'], ...known]} />
      <${LiveBar} list=${list} names=${names} />
    </div>
    <${ListTable}
      list=${list}
      caption="Approvals"
      columns=${columns}
      empty=${html`<${Empty} title=${state === 'open' ? 'Nothing waits for you' : 'No approvals match the filters'}>
        <p>
          New ones appear here automatically. <a href=${hrefOf('/approvals', { state: 'all' })}>Show all approvals</a>
        </p>
      <//>`}
      more="Show older approvals"
    />
  <//>`;
}
