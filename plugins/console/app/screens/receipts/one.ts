import { useEffect } from 'preact/hooks';
import type { ScreenProps } from '../../frame/screen.ts';
import type { ReceiptDocument } from '../../frame/wire.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { ApiCall, Json } from '../../parts/code.ts';
import { loaded } from '../../parts/notice.ts';
import { Facts, Id } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { Verified } from '../../parts/verified.ts';
import { isOfRun } from '../runs/run.ts';
import { Attested, idLink, kindOf } from './attested.ts';
import { Position } from './position.ts';
import { Score } from './score.ts';

/** One receipt: what it attests, its score, its verification in this browser, and where the log has it. */
export function ReceiptScreen({ params: { receipt_id = '' } }: ScreenProps) {
  const path = `/receipts/${encodeURIComponent(receipt_id)}`;
  const reading = useGet<ReceiptDocument>(path);
  const { value } = reading;
  useEffect(openForPaper, []);
  return html`<${Page}
    title=${titleOf(value)}
    above=${{ href: hrefOf('/receipts'), name: 'Receipts' }}
    about=${html`<${Id} id=${receipt_id} />`}
    acts=${value && html`<${Download} of=${value} /><button class="button button-quiet" type="button" onClick=${() => print()}>Print</button><a class="button button-quiet" href="/verify?by=id">Open the verify page</a>`}
  >
    ${loaded(
      reading,
      (receipt) =>
        html`<div class="receipt stack">
            <${Verification} of=${receipt} />
            ${receipt.statement && html`<${Attested} of=${receipt.statement} />`}
            ${receipt.statement && isOfRun(receipt.statement) && html`<${Score} of=${receipt.statement} />`}
            <${Position} of=${receipt.proof} />
            <${Raw} of=${receipt} />
            <p class="on-paper">${location.origin}${hrefOf(`/receipts/${receipt.receipt_id}`)}</p>
          </div>
          <${ApiCall} call=${{ path }} />`,
      'Loading the receipt',
    )}
  <//>`;
}

// On paper, the report of the verification is whole.
function openForPaper(): () => void {
  const open = (): void => {
    for (const one of document.querySelectorAll<HTMLDetailsElement>('.verdict details')) one.open = true;
  };
  addEventListener('beforeprint', open);
  return () => removeEventListener('beforeprint', open);
}

function titleOf(receipt: ReceiptDocument | undefined): string {
  const statement = receipt?.statement;
  if (statement === undefined) return 'Receipt';
  if (!isOfRun(statement)) return `Receipt: ${kindOf(statement)}`;
  const { orb_id, status } = statement.predicate;
  return `Receipt: ${orb_id} ${status.replaceAll('_', ' ')}`;
}

function Verification({ of: receipt }: { readonly of: ReceiptDocument }) {
  const { effective, resolution, timestamp } = receipt;
  return html`<section class="panel stack">
    <h2>Verification</h2>
    <${Verified} receipt=${receipt} />
    ${
      effective &&
      html`<p class="note note-bad">
        The server rejects it, too: <code>${effective.reason}</code>. It counts with the score ${effective.trust_score}
        and the risk ${effective.risk_level}.
      </p>`
    }
    <${Facts}
      of=${[
        ['Issued', html`<${Time} at=${timestamp} both />`],
        ['Resolved later by', resolution && idLink(resolution)],
      ]}
    />
    <p class="muted">
      To verify it without this server, download it and run
      <code>orb receipts verify ${receipt.receipt_id}.json</code>, or choose the file on the verify page.
    </p>
  </section>`;
}

function Raw({ of: receipt }: { readonly of: ReceiptDocument }) {
  return html`<section class="panel stack on-screen">
    <h2>Raw data</h2>
    <details>
      <summary>The envelope: what is signed, with the signature</summary>
      <${Json} value=${receipt.envelope} label="envelope" />
    </details>
    <details>
      <summary>The statement in the envelope</summary>
      <${Json} value=${receipt.statement} label="statement" />
    </details>
    <details>
      <summary>The receipt as JSON</summary>
      <${Json} value=${receipt} label="receipt" />
    </details>
  </section>`;
}

// A plain link to the API would come without the header by which the session counts.
function Download({ of: receipt }: { readonly of: ReceiptDocument }) {
  const save = (): void => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(receipt, null, 2)], { type: 'application/json' }));
    link.download = `${receipt.receipt_id}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  return html`<button class="button" type="button" onClick=${save}>Download</button>`;
}
