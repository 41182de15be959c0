import { useEffect, useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { Act, type ActOn } from '../../parts/act.ts';
import { ApiCall } from '../../parts/code.ts';
import { loaded, Notice, ProblemNote } from '../../parts/notice.ts';
import { saveFile } from '../../parts/save.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Table, type Column } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { toneOf } from './deliveries.ts';
import { ReplayPreview } from './preview.ts';
import type { DeliveryDetail } from '../../frame/wire.ts';

const everyMs = 500;

/** Shows a delivery: what proved it, what was read from it, and what reading it again would change. */
export function OneDelivery({ params }: ScreenProps) {
  const id = params['delivery_id'] ?? '';
  const path = `/deliveries/${encodeURIComponent(id)}`;
  const delivery = useGet<DeliveryDetail>(path);
  const { value, loading, reload } = delivery;
  const waits = value?.delivery.state === 'queued';
  useEffect(() => {
    if (!waits || loading) return undefined;
    const timer = setTimeout(reload, everyMs);
    return () => clearTimeout(timer);
  }, [waits, loading]);
  const source = value?.delivery.source_id;
  const above =
    source === undefined
      ? { href: hrefOf('/sources'), name: 'Sources' }
      : { href: hrefOf(`/sources/${source}`), name: 'Source' };
  return html`<${Page}
    title="Delivery"
    about=${html`<code>${id}</code>`}
    above=${above}
    acts=${value?.raw_kept && html`<${Replay} of=${path} onDone=${reload} />`}
  >
    ${loaded(delivery, (shown) => html`<${Shown} of=${shown} path=${path} />`)}
  <//>`;
}

function Replay({ of: path, onDone }: ActOn<string>) {
  return html`<${Act}
    label="Replay"
    says=${html`<p>Processes the stored body with the current version. New signals replace the old ones where they differ; the preview below shows the changes.</p>`}
    call=${{ method: 'POST', path: `${path}/replay` }}
    done="The delivery is queued for replay"
    onDone=${onDone}
  />`;
}

function Shown({ of: { delivery, signals, raw_kept }, path }: { readonly of: DeliveryDetail; readonly path: string }) {
  const { state, reason, received_at, duplicates = 0, size, digest, auth_scheme, auth_strength, test } = delivery;
  return html`${
      state === 'dead' &&
      html`<${Notice} tone="bad"
        ><p>
          <strong>Dead letter:</strong> ${reason?.replaceAll('_', ' ')}. Its body is kept. Replay it after you fix the
          cause.
        </p><//
      >`
    }
    <section class="panel">
      <${Facts}
        of=${[
          [
            'Status',
            [
              html`<${Status} of=${state} tone=${toneOf(state)} /> `,
              test === true && html`<span class="chip">test</span>`,
            ],
          ],
          ['Reason', state !== 'dead' && reason],
          ['Received', html`<${Time} at=${received_at} both />`],
          ['Received again', duplicates > 0 && `${duplicates} times`],
          ['Authentication', `${auth_scheme}, ${auth_strength.replaceAll('_', ' ')}`],
          ['Size', size !== undefined && `${size} bytes`],
          ['Digest', html`<code class="wide-cell">${digest}</code>`],
          ['Body', raw_kept ? 'kept' : 'no longer kept'],
        ]}
      />
      ${raw_kept && html`<${Body} path=${path} />`}
    </section>
    <section class="stack">
      <h2>Signals</h2>
      <${Table}
        caption="Signals"
        columns=${columns}
        rows=${signals}
        rowKey=${({ signal_id }: DeliveryDetail['signals'][number]) => signal_id}
        empty=${html`<p class="muted">${state === 'queued' ? 'Not processed yet.' : 'It contains no signals.'}</p>`}
      />
    </section>
    ${raw_kept && state !== 'queued' && html`<${ReplayPreview} path=${path} key=${state} />`}`;
}

function Body({ path }: { readonly path: string }) {
  const [problem, setProblem] = useState<ApiProblem>();
  const raw = `${path}/raw`;
  const save = (): void => void saveFile(raw, 'delivery').catch((thrown: unknown) => setProblem(asProblem(thrown)));
  return html`<p><button class="button button-quiet" type="button" onClick=${save}>Download the body</button></p>
    <${ProblemNote} problem=${problem} />
    <${ApiCall} call=${{ path: raw }} />`;
}

const columns: readonly Column<DeliveryDetail['signals'][number]>[] = [
  { title: 'Title', cell: ({ title }) => html`<span class="wide-cell">${title}</span>` },
  { title: 'Status', cell: ({ state }) => html`<${Status} of=${state} />` },
  { title: 'Severity', cell: ({ severity }) => severity },
  {
    title: 'Type',
    cell: ({ type, vendor_type }) => html`<span title=${vendor_type}>${type.replace('orb.signal.', '')}</span>`,
  },
  { title: 'Occurred', cell: ({ occurred_at }) => html`<${Time} at=${occurred_at} />` },
];
