import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { api, type Call } from '../../frame/api.ts';
import { onSubmit } from '../../frame/call.ts';
import { brandName } from '../../frame/brand.ts';
import { html } from '../../frame/html.ts';
import { asProblem, type ApiProblem, type FieldFault } from '../../frame/problem.ts';
import { useSession } from '../../frame/session.ts';
import { ActDialog } from '../../parts/act.ts';
import { CheckField } from '../../parts/field.ts';
import { Loading, ProblemNote } from '../../parts/notice.ts';
import { endsRun, useCallKey } from './call-key.ts';
import { InputFields, useInputs, type Inputs, type Manifest } from './inputs.ts';
import { ModeChoice } from './mode.ts';
import { PreviewResult } from './preview.ts';
import { Result } from './result.ts';
import { SameCall } from './same-call.ts';
import { samplesOf } from './samples.ts';
import { SaveRequest } from './save.ts';
import { inputsIn } from './saved.ts';
import type { Preview, RunAnswer } from '../../frame/wire.ts';

/** What is run, and where. */
export interface TryFormProps {
  readonly manifest: Manifest;
  readonly orbiset: string;
}

interface Outcome {
  readonly busy?: 'run' | 'preview';
  readonly problem?: ApiProblem;
  readonly preview?: Preview;
  readonly answer?: RunAnswer;
}

/** The form of an Orb, with the equivalent request next to it, and the result. */
export function TryForm({ manifest, orbiset }: TryFormProps) {
  const [saved] = useState(() => inputsIn(location.hash));
  const inputs = useInputs(manifest.inputs_schema, saved);
  const run = useRun(manifest, orbiset, inputs);
  const { sandbox, setSandbox, later, setLater, call, outcome, faults } = run;
  const { mode } = useSession();
  // A bookmark is named after it.
  useEffect(() => {
    document.title = `Try ${manifest.title} · ${brandName()}`;
  }, []);
  return html`<div class="columns try">
    <form class="panel stack" onSubmit=${onSubmit(run.begin)} novalidate>
      <h2>Inputs</h2>
      <p class="muted">${manifest.description}</p>
      <${Samples} manifest=${manifest} inputs=${inputs} />
      <${InputFields} inputs=${inputs} errors=${[...faults, ...(outcome.problem?.errors ?? [])]} />
      <${ModeChoice} sandbox=${sandbox} testOnly=${mode === 'test'} onChange=${setSandbox} />
      <${CheckField}
        label="Run in the background"
        hint="The result appears here."
        value=${later}
        onChange=${setLater}
      />
      <div class="row end">
        <button class="button button-quiet" type="button" disabled=${outcome.busy !== undefined} onClick=${run.look}>
          Dry run
        </button>
        <button class="button" type="submit" disabled=${outcome.busy !== undefined}>
          ${sandbox ? 'Run the test' : 'Run live'}
        </button>
      </div>
      <${SaveRequest} orb_id=${manifest.orb_id} orbiset=${orbiset} inputs=${inputs.value} />
    </form>
    <div class="stack">
      <${ResultPanel} of=${outcome} />
      <${SameCall} ...${{ manifest, orbiset, inputs: inputs.value, sandbox, later, call }} />
    </div>
    ${
      run.asks &&
      html`<${LiveDialog}
        manifest=${manifest}
        call=${call}
        onDone=${run.answered}
        onProblem=${run.refused}
        onClose=${run.close}
      />`
    }
  </div>`;
}

function Samples({ manifest, inputs }: { readonly manifest: Manifest; readonly inputs: Inputs }) {
  const samples = samplesOf(manifest);
  if (samples.length === 0) return null;
  return html`<p class="row">
    <span class="muted">Fill with</span>
    ${samples.map(
      ({ name, inputs: of }) =>
        html`<button class="button button-quiet" type="button" onClick=${() => inputs.fill(of)}>${name}</button>`,
    )}
  </p>`;
}

function useRun({ orb_id, effect }: Manifest, orbiset: string, { value, faults: found }: Inputs) {
  const [sandbox, setSandbox] = useState(true);
  const [later, setLater] = useState(false);
  const [faults, setFaults] = useState<readonly FieldFault[]>([]);
  const [asks, setAsks] = useState(false);
  const { outcome, setOutcome, send } = useOutcome();
  const own = { orb_id, inputs: value, ...(sandbox ? { sandbox } : {}) };
  // Whether the answer is waited for makes no other run.
  const { key, begin, end } = useCallKey(own);
  const base = `/orbisets/${encodeURIComponent(orbiset)}`;
  // A live call has a key, so that it is done once also if its answer is lost.
  const headers = sandbox ? {} : { 'Idempotency-Key': key };
  const body = { ...own, ...(later ? { mode: 'async' } : {}) };
  const call: Call = { method: 'POST', path: `${base}/execute`, body, headers };
  const answered = (answer: RunAnswer): void => {
    end();
    setOutcome({ answer });
    announce(answer.status === 'completed' ? 'The run completed' : 'The run is in the queue');
  };
  const refused = (problem: ApiProblem): void => (endsRun(problem) ? end() : undefined);
  const whenItFits = (act: () => void): void => {
    setFaults(found);
    if (found.length === 0) act();
  };
  const run = (): void => {
    begin();
    if (!sandbox && effect !== 'none') setAsks(true);
    else send('run', call, answered, refused);
  };
  const look = (): void =>
    send('preview', { ...call, path: `${base}/preview`, body: own }, (preview: Preview) => setOutcome({ preview }));
  return {
    ...{ sandbox, setSandbox, later, setLater, call, outcome, faults, asks, answered, refused },
    begin: () => whenItFits(run),
    look: () => whenItFits(look),
    close: () => setAsks(false),
  };
}

function useOutcome() {
  const [outcome, setOutcome] = useState<Outcome>({});
  const send = <T>(
    busy: 'run' | 'preview',
    call: Call,
    then: (answer: T) => void,
    refused?: (problem: ApiProblem) => void,
  ): void => {
    setOutcome({ busy });
    api<T>(call).then(then, (thrown: unknown) => {
      const problem = asProblem(thrown);
      setOutcome({ problem });
      refused?.(problem);
    });
  };
  return { outcome, setOutcome, send };
}

// On a phone it lies below the form: it comes into sight when there is something to see.
function ResultPanel({ of }: { readonly of: Outcome }) {
  const panel = useRef<HTMLElement>(null);
  const { problem, preview, answer } = of;
  useEffect(() => {
    if (problem ?? preview ?? answer) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [problem, preview, answer]);
  return html`<section class="panel stack" aria-label="Result" ref=${panel}>
    <h2>Result</h2>
    <${Shown} of=${of} />
  </section>`;
}

function Shown({ of: { busy, problem, preview, answer } }: { readonly of: Outcome }) {
  if (busy !== undefined) return html`<${Loading} what=${busy === 'run' ? 'Running' : 'Previewing'} />`;
  if (problem !== undefined) return html`<${ProblemNote} problem=${problem} />`;
  if (preview !== undefined) return html`<${PreviewResult} of=${preview} />`;
  if (answer !== undefined) return html`<${Result} of=${answer} />`;
  return html`<p class="muted">
    A dry run shows the decision of the policies and calls no provider. A run returns its outputs and its receipt.
  </p>`;
}

interface LiveDialogProps {
  readonly manifest: Manifest;
  readonly call: Call;
  readonly onDone: (answer: RunAnswer) => void;
  readonly onProblem: (problem: ApiProblem) => void;
  readonly onClose: () => void;
}

function LiveDialog({ manifest: { title, effect }, ...act }: LiveDialogProps) {
  const back = effect === 'irreversible' ? 'It cannot be undone.' : `Its effect is ${effect}.`;
  return html`<${ActDialog}
    label="Run live"
    title=${`Run ${title} live`}
    says=${html`<p>The active provider performs the real action. ${back}</p>`}
    word=${effect === 'irreversible' ? 'live' : undefined}
    danger
    ...${act}
  />`;
}
