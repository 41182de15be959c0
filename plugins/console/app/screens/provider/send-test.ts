import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import type { ApiProblem } from '../../frame/problem.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { Act } from '../../parts/act.ts';
import { Dialog } from '../../parts/dialog.ts';
import { SchemaForm, valueOf, type FormSchema, type Typed } from '../../parts/form.ts';
import { Loading, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id } from '../../parts/table.ts';
import { durationOf } from '../../parts/time.ts';
import type { OrbManifest, ProviderDetail, TestedProvider } from '../../frame/wire.ts';

type Sample = NonNullable<ProviderDetail['test']>;

/** What is tested, and what is called after a test. */
export interface SendTestProps {
  readonly name: string;
  readonly of: Sample;
  readonly onDone: () => void;
}

/** Sends a test through a provider: asks for the recipient, says what is sent, and shows the run and its receipt. */
export function SendTest({ name, of, onDone }: SendTestProps) {
  const { orb_id, asks, inputs: known } = of;
  const orb = useGet<{ readonly manifest: OrbManifest }>(`/orbs/${encodeURIComponent(orb_id)}`);
  const [typed, setTyped] = useState<Typed>({});
  const [problem, setProblem] = useState<ApiProblem>();
  const [sent, setSent] = useState<TestedProvider>();
  const schema = asked(orb.value?.manifest.inputs_schema as FormSchema | undefined, asks);
  const { value, faults } = valueOf(schema, typed);
  const finish = (answer: TestedProvider): void => {
    setProblem(undefined);
    setSent(answer);
    onDone();
  };
  const failed = (why: ApiProblem): void => {
    setProblem(why);
    onDone();
  };
  return html`<${Act}
      label="Send a test"
      title=${`Send a test through ${name}`}
      says=${html`<p>
          Runs <strong>${orb_id}</strong> by ${name} alone. Your policies decide, and the run has a receipt; reputation
          does not count it. What is sent besides your entries:
        </p>
        <${Facts}
          of=${Object.entries(known).map(([input, one]) => [input, typeof one === 'string' ? one : JSON.stringify(one)])}
        />`}
      call=${{ method: 'POST', path: `/providers/${encodeURIComponent(name)}/test`, body: { inputs: value } }}
      missing=${faults.length === 0 ? undefined : 'Fill in the fields.'}
      onDone=${finish}
      onProblem=${failed}
      done="The test was sent"
    >
      ${
        asks.length > 0 &&
        (orb.value === undefined
          ? html`<${ProblemNote} problem=${orb.problem} />${orb.problem === undefined && html`<${Loading} />`}`
          : html`<${SchemaForm}
              schema=${schema}
              typed=${typed}
              onChange=${setTyped}
              errors=${problem?.errors ?? []}
            />`)
      }
    <//>
    ${sent && html`<${Sent} of=${sent} onClose=${() => setSent(undefined)} />`}`;
}

// Only what the capability asks for; the Orb says how it looks.
function asked(schema: FormSchema | undefined, asks: readonly string[]): FormSchema {
  const properties = asks.map((name) => [name, schema?.properties?.[name] ?? { type: 'string' }] as const);
  return { type: 'object', properties: Object.fromEntries(properties), required: asks };
}

function Sent({ of: { orb_id, result }, onClose }: { readonly of: TestedProvider; readonly onClose: () => void }) {
  const { execution_ms, outputs, receipt, run_id, status } = result;
  return html`<${Dialog} title="The test was sent" onClose=${onClose}>
    <${Facts}
      of=${[
        ['Result', html`<${Status} of=${status} />`],
        ['Run', html`<${Id} id=${run_id} href=${hrefOf(`/runs/${run_id}`)} />`],
        ['Receipt', html`<${Id} id=${receipt.receipt_id} href=${hrefOf(`/receipts/${receipt.receipt_id}`)} />`],
        ['Orb', orb_id],
        ['Duration', durationOf(execution_ms)],
        ['Outputs', html`<code>${JSON.stringify(outputs)}</code>`],
      ]}
    />
    <div class="row end"><button class="button" type="button" onClick=${onClose}>Close</button></div>
  <//>`;
}
