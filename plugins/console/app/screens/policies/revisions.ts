import type { Call } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Diff } from './diff.ts';
import { shortOf, whyChanged } from './words.ts';
import type { FileDiff, Revision } from '../../frame/wire.ts';

const place = '/policies/-/revisions';

/** Lists earlier revisions, compares them with the active one, and activates them again. */
export function Revisions({ query: { of: chosen } }: ScreenProps) {
  const list = useGet<{ readonly revisions: readonly Revision[] }>(place);
  const { value, reload } = list;
  const mayActivate = useScope('policies:activate');
  const revisions = value?.revisions ?? [];
  const active = revisions.find((one) => one.active);
  const shown = revisions.find(({ revision }) => chosen !== undefined && shortOf(revision) === chosen);
  return html`<${Page}
    title="Revisions"
    above=${{ href: hrefOf('/policies'), name: 'Policies' }}
    about="Each revision is the whole policy folder at its activation. The last 100 are kept."
    acts=${mayActivate && revisions.length > 1 && html`<${Back} of=${active} onDone=${reload} />`}
  >
    ${loaded(
      list,
      () =>
        html`<${Table}
          caption="Revisions"
          columns=${columns}
          rows=${revisions}
          rowKey=${({ revision }: Revision) => revision}
          empty=${html`<${Empty} title="No revisions yet"><p>The first revision is created when a folder is activated.</p><//>`}
        />`,
    )}
    ${
      shown &&
      active &&
      shown !== active &&
      html`<${Compared} key=${chosen} from=${active} of=${shown} mayActivate=${mayActivate} onDone=${reload} />`
    }
  <//>`;
}

const columns: readonly Column<Revision>[] = [
  {
    title: 'Revision',
    cell: ({ revision, active }) => {
      const short = shortOf(revision);
      return active
        ? html`<code>${short}</code>`
        : html`<a class="mono" href=${hrefOf(place, { of: short })}>${short}</a>`;
    },
  },
  { title: 'Status', cell: ({ active }) => (active ? html`<${Status} of="active" tone="good" />` : '') },
  { title: 'Created', cell: ({ created_at }) => html`<${Time} at=${created_at} />` },
  { title: 'By', cell: ({ created_by }) => html`<code>${created_by}</code>` },
  { title: 'Reason', cell: ({ message = '' }) => html`<div class="wide-cell">${message}</div>` },
];

interface ComparedProps extends ActOn<Revision> {
  readonly from: Revision;
  readonly mayActivate: boolean;
}

function Compared({ from, of: to, mayActivate, onDone }: ComparedProps) {
  const path = `${place}/${shortOf(from.revision)}/diff/${shortOf(to.revision)}`;
  const changes = useGet<{ readonly files: readonly FileDiff[] }>(path);
  const call: Call = {
    method: 'POST',
    path: '/policies/-/activate',
    body: { revision: to.revision },
    headers: { 'if-match': `"${from.revision}"` },
    key: true,
  };
  return html`<section class="panel stack">
    <h2>From <code>${shortOf(from.revision)}</code> (active) to <code>${shortOf(to.revision)}</code></h2>
    ${loaded(changes, ({ files }) => html`<${Diff} files=${files} same="Both revisions have the same files" />`)}
    ${
      mayActivate &&
      html`<div class="row">
        <${Act}
          label="Activate this revision"
          main
          says=${html`<p>The files of <code>${shortOf(to.revision)}</code> become active for all callers immediately. You must enter your key again.</p>`}
          call=${call}
          fields=${[whyChanged]}
          onDone=${onDone}
          done="The revision is active"
        />
      </div>`
    }
  </section>`;
}

function Back({ of: active, onDone }: ActOn<Revision | undefined>) {
  return html`<${Act}
    label="Roll back"
    says=${html`<p>
      The revision before <code>${shortOf(active?.revision ?? '')}</code> becomes active again for all callers. You must
      enter your key again.
    </p>`}
    call=${{
      method: 'POST',
      path: '/policies/-/rollback',
      body: {},
      key: true,
      ...(active === undefined ? {} : { headers: { 'if-match': `"${active.revision}"` } }),
    }}
    danger
    onDone=${onDone}
    done="The previous revision is active"
  />`;
}
