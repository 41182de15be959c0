import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { ApiCall } from '../../parts/code.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import type { ServerNode } from '../../frame/wire.ts';

/** Lists the nodes that share the store; a dead one can be removed. */
export function Nodes() {
  const list = useGet<{ readonly nodes: readonly ServerNode[] }>('/nodes');
  const manages = useScope('nodes:manage');
  const { reload } = list;
  return html`<${Page}
    title="Nodes"
    about="Servers that share the store. Without PostgreSQL there is one."
    acts=${html`<button class="button button-quiet" type="button" onClick=${reload}>Refresh</button>`}
  >
    ${loaded(
      list,
      ({ nodes }) =>
        html`<${Table}
          caption="Nodes"
          columns=${manages ? [...columns, removing(reload)] : columns}
          rows=${nodes}
          rowKey=${({ name }: ServerNode) => name}
        />`,
    )}
    <p class="small muted">
      Each node does its share of the runs. Work that only one may do, such as schedules and callbacks, passes on when
      its node stops. <a href="/docs/operate/nodes">How nodes work</a> · <a href=${hrefOf('/settings')}>Settings</a>
    </p>
    <${ApiCall} call=${{ path: '/nodes' }} />
  <//>`;
}

const columns: readonly Column<ServerNode>[] = [
  { title: 'Node', cell: ({ name }) => html`<span class="name-cell">${name}</span>` },
  {
    title: 'Status',
    cell: ({ state, serving }) =>
      html`<${Status} of=${state === 'live' && !serving ? 'not serving' : state} tone=${toneOf(state, serving)} />`,
  },
  {
    title: 'Health',
    cell: ({ health, reason }) =>
      html`<${Status} of=${health} /> ${reason !== undefined && html`<p class="small muted wide-cell">${reason}</p>`}`,
  },
  {
    title: 'Leads',
    cell: ({ roles = [] }) => html`<span class="wide-cell">${roles.join(', ')}</span>`,
  },
  { title: 'Version', cell: ({ version }) => version },
  { title: 'Started', cell: ({ joined_at }) => html`<${Time} at=${joined_at} />` },
  { title: 'Lease until', cell: ({ lease_until }) => html`<${Time} at=${lease_until} />` },
  { title: 'Changes behind', figures: true, cell: ({ behind }) => behind },
];

function toneOf(state: ServerNode['state'], serving: boolean): 'good' | 'warn' | 'bad' | 'none' {
  if (state === 'dead') return 'bad';
  if (state === 'left') return 'none';
  return serving ? 'good' : 'warn';
}

const removing = (onDone: () => void): Column<ServerNode> => ({
  title: 'Actions',
  cell: (node) => node.state !== 'live' && html`<${Remove} of=${node} onDone=${onDone} />`,
});

function Remove({ of: { name }, onDone }: ActOn<ServerNode>) {
  return html`<${Act}
    label="Remove"
    title=${`Remove the node ${name}`}
    says=${html`<p>
      The node leaves the list, and another node takes over its work. Its open runs end as interrupted. Remove a node
      only if it never comes back. This cannot be undone.
    </p>`}
    call=${{ method: 'POST', path: `/nodes/${encodeURIComponent(name)}/leave`, body: { confirm: name }, key: true }}
    word=${name}
    danger
    done="The node was removed"
    onDone=${onDone}
  />`;
}
