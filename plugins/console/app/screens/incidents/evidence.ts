import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { IdLink } from '../../parts/id-link.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Json } from '../../parts/code.ts';
import { loaded, Notice, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Verified } from '../../parts/verified.ts';
import type { DeliveryDetail, IncidentEvidence, Receipt } from '../../frame/wire.ts';

/** Walks from an incident to the receipts of its changes, the deliveries behind them, and the debt it makes. */
export function Evidence({ id }: { readonly id: string }) {
  const evidence = useGet<IncidentEvidence>(`/incidents/${encodeURIComponent(id)}/evidence`);
  return html`<section class="panel stack">
    <h2>Evidence</h2>
    <p class="muted">A receipt attests each change and names the deliveries that caused it.</p>
    ${loaded(evidence, (found) => html`<${Walk} of=${found} />`)}
  </section>`;
}

function Walk({ of: { receipts, deliveries, debts } }: { readonly of: IncidentEvidence }) {
  return html`<h3>Receipts</h3>
    <ul class="walk">
      ${receipts.map(
        (one) =>
          html`<${Opened}
            key=${one.receipt_id}
            title=${html`<span>Change ${one.change_number}: ${one.change}</span> <${Time} at=${one.at} />`}
            note=${one.index === undefined ? 'not in the log yet' : `log position ${one.index}`}
          >
            <${ShownReceipt} id=${one.receipt_id} />
          <//>`,
      )}
    </ul>
    <h3>Deliveries</h3>
    ${
      deliveries.length === 0
        ? html`<p class="muted">None. No alert of a source caused this incident.</p>`
        : html`<ul class="walk">
            ${deliveries.map(
              (one) =>
                html`<${Opened}
                  key=${one.delivery_id}
                  title=${html`<span>From <code>${one.source_id}</code></span> <${Time} at=${one.received_at} />`}
                  note=${strengths[one.auth_strength] ?? one.auth_strength}
                >
                  <${ShownDelivery} of=${one} />
                <//>`,
            )}
          </ul>`
    }
    ${
      debts.length > 0 &&
      html`<h3>Effect on scores</h3>
        <ul class="walk">
          ${debts.map(
            ({ orb_id, debt_milli, snapshot_day }) =>
              html`<li class="plain">
                <a href=${hrefOf(`/reputation/${orb_id}`)}>${orb_id}</a>: weight ${(debt_milli / 1000).toFixed(1)} of
                100 in the incidents part of the score, as of ${snapshot_day}
              </li>`,
          )}
        </ul>`
    }`;
}

const strengths: Readonly<Record<string, string>> = {
  strong: 'signed by the sender',
  shared_secret: 'sent with a shared secret',
  url_token: 'sent to a secret address',
  none: 'not authenticated',
};

// What is inside is read from the API when it is opened first.
function Opened({
  title,
  note,
  children,
}: {
  readonly title: unknown;
  readonly note: string;
  readonly children?: unknown;
}) {
  const [open, setOpen] = useState(false);
  const toggled = (event: Event): void => {
    if ((event.currentTarget as HTMLDetailsElement).open) setOpen(true);
  };
  return html`<li>
    <details onToggle=${toggled}>
      <summary>
        <span class="row">${title} <span class="chip">${note}</span></span>
      </summary>
      ${open && html`<div class="stack walk-body">${children}</div>`}
    </details>
  </li>`;
}

function ShownReceipt({ id }: { readonly id: string }) {
  const mayRead = useScope('receipts:read');
  const { value, problem, reload } = useGet<Receipt>(mayRead ? `/receipts/${id}` : undefined);
  if (!mayRead)
    return html`<${Notice}
      ><p><code>${id}</code> – to read it, you need the scope <code>receipts:read</code>.</p><//
    >`;
  return html`<${ProblemNote} problem=${problem} retry=${reload} /> ${
      value &&
      html`<${Verified} receipt=${value} />
        <details>
          <summary>The receipt as JSON</summary>
          <${Json} value=${value} label="receipt" />
        </details>`
    }`;
}

function ShownDelivery({
  of: { delivery_id: id, digest, raw_kept },
}: {
  readonly of: IncidentEvidence['deliveries'][number];
}) {
  const mayRead = useScope('sources:manage');
  const { value, problem, reload } = useGet<DeliveryDetail>(mayRead ? `/deliveries/${id}` : undefined);
  const { delivery, signals = [] } = value ?? {};
  return html`<${ProblemNote} problem=${problem} retry=${reload} />
    <${Facts}
      of=${[
        ['Delivery', mayRead ? html`<${IdLink} id=${id} />` : html`<${Id} id=${id} />`],
        ['Body', html`<code class="long">${digest}</code> ${raw_kept ? 'kept' : 'no longer kept'}`],
        ['Vendor', delivery?.vendor],
        [
          'Status',
          delivery && html`<${Status} of=${delivery.state} tone=${delivery.state === 'dead' ? 'bad' : 'none'} />`,
        ],
        ['Authentication', delivery?.auth_scheme],
        ['Received again', (delivery?.duplicates ?? 0) > 0 && `${delivery?.duplicates} times`],
      ]}
    />
    ${
      signals.length > 0 &&
      html`<ul class="faults">
        ${signals.map(({ title, state, occurred_at }) => html`<li>${title}: ${state} <${Time} at=${occurred_at} /></li>`)}
      </ul>`
    }`;
}
