import { useState } from 'preact/hooks';
import { withQuery } from '../../frame/api.ts';
import { onSubmit } from '../../frame/call.ts';
import { serverNow } from '../../frame/clock.ts';
import { html } from '../../frame/html.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import { ApiCall } from '../../parts/code.ts';
import { Dialog } from '../../parts/dialog.ts';
import { TextField } from '../../parts/field.ts';
import { ProblemNote } from '../../parts/notice.ts';
import { saveFile } from '../../parts/save.ts';
import { isoOf, localOf } from '../../parts/time.ts';

/** The times of the export, at first. */
export interface EvidenceProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Exports the evidence of a time as one archive, which anyone can verify without this server. */
export function Evidence(times: EvidenceProps) {
  const [open, setOpen] = useState(false);
  return html`<button class="button button-quiet" type="button" onClick=${() => setOpen(true)}>Export evidence</button>
    ${open && html`<${EvidenceDialog} ...${times} onClose=${() => setOpen(false)} />`}`;
}

const dayMs = 86_400_000;

function EvidenceDialog({ from, to, onClose }: EvidenceProps & { readonly onClose: () => void }) {
  const [first, setFirst] = useState(() => localOf(from ?? serverNow() - dayMs));
  const [end, setEnd] = useState(() => localOf(to));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const path = withQuery('/audit/export', { from: isoOf(first), to: isoOf(end) });
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await saveFile(path, 'evidence.tar');
      onClose();
    } catch (thrown) {
      setProblem(asProblem(thrown));
      setBusy(false);
    }
  };
  return html`<${Dialog} title="Export evidence" onClose=${onClose}>
    <form class="stack" onSubmit=${onSubmit(() => busy || first === '' || save())}>
      <p>
        One archive with the receipts, decisions, policies, approvals and incidents of a time, as far as your key reads
        them. Verify it with <code>orb audit verify</code>, or open the page in it.
      </p>
      <${TextField} label="From, local time" value=${first} onChange=${setFirst} type="datetime-local" />
      <${TextField}
        label="Before, local time"
        value=${end}
        onChange=${setEnd}
        type="datetime-local"
        required=${false}
      />
      <${ProblemNote} problem=${problem} />
      <${ApiCall} call=${{ path }} />
      <div class="row end">
        <button class="button button-quiet" type="button" onClick=${onClose}>Cancel</button>
        <button class="button" type="submit" disabled=${busy || first === ''}>${busy ? 'Exporting…' : 'Export'}</button>
      </div>
    </form>
  <//>`;
}
