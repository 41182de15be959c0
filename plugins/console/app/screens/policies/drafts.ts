import { useState } from 'preact/hooks';
import type { Call } from '../../frame/api.ts';
import { announce } from '../../frame/announce.ts';
import { useCall } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { Act } from '../../parts/act.ts';
import { ApiCall } from '../../parts/code.ts';
import { Empty, loaded, Notice, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Table, type Column } from '../../parts/table.ts';
import { Diagnostics } from './diagnostics.ts';
import { Diff } from './diff.ts';
import { usePolicies } from './every-policy.ts';
import { counted, shortOf, whyChanged } from './words.ts';
import { Replay } from './replay.ts';
import type { Diagnostic, EngineStatus, FileDiff, Policy, TestResult } from '../../frame/wire.ts';

/** Guides from drafts to active policies: tests, replay, comparison, activation. */
export function Drafts() {
  const list = usePolicies();
  const engine = useGet<EngineStatus>('/policies/-/status');
  const mayWrite = useScope('policies:write');
  const drafts = list.value?.filter(({ draft }) => draft) ?? [];
  const active = engine.value?.revision ?? undefined;
  return html`<${Page}
    title="Review drafts"
    above=${{ href: hrefOf('/policies'), name: 'Policies' }}
    about="Test the drafts with the active policies, replay past decisions, review the changes, then activate."
  >
    ${loaded({ value: list.value && drafts, problem: list.problem ?? engine.problem, reload: list.reload }, () =>
      drafts.length === 0
        ? html`<${Empty} title="No drafts"
            ><p>Open a <a href=${hrefOf('/policies')}>policy</a>, change it, and save a draft.</p><//
          >`
        : html`<p class="row">
              ${counted(drafts.length, 'draft')}:
              ${drafts.map(({ id }) => html`<a class="chip" href=${hrefOf(`/policies/${id}`)}>${id}</a>`)}
            </p>
            ${mayWrite && html`<${Tests} /><${Replay} />`}
            ${active !== undefined && html`<${Changes} active=${active} />`}
            <${Activate} active=${active} drafts=${drafts} />`,
    )}
  <//>`;
}

interface Tested {
  readonly passed: boolean;
  readonly tests: readonly TestResult[];
  readonly diagnostics: readonly Diagnostic[];
}

const testing: Call = { method: 'POST', path: '/policies/test', body: { against: 'drafts' } };
const columns: readonly Column<TestResult>[] = [
  { title: 'Test', cell: ({ name }) => html`<code>${name}</code>` },
  { title: 'Result', cell: (test) => html`<${Status} of=${wordOf(test)} tone=${test.passed ? 'good' : 'bad'} />` },
  { title: 'File', cell: ({ file, line }) => html`<code>${file}:${line}</code>` },
  { title: 'Reason', cell: ({ message = '' }) => html`<div class="wide-cell">${message}</div>` },
];

const wordOf = ({ passed, skipped }: TestResult): string => (skipped ? 'skipped' : passed ? 'passed' : 'failed');

function Tests() {
  const [result, setResult] = useState<Tested>();
  const { busy, problem, send } = useCall();
  const finish = (answer: Tested): void => {
    setResult(answer);
    announce(answer.passed ? 'All tests passed' : 'Not all tests passed');
  };
  const passed = result?.tests.filter((test) => test.passed).length ?? 0;
  return html`<section class="panel stack">
    <h2>1. Test</h2>
    <p class="muted">Checks all files with the drafts and runs all tests. The drafts are not activated.</p>
    <div class="row">
      <button class="button button-quiet" type="button" disabled=${busy} onClick=${() => void send(testing, finish)}>
        ${busy ? 'Testing…' : 'Run the tests'}
      </button>
      ${result && html`<${Status} of=${result.passed ? 'passed' : 'failed'} tone=${result.passed ? 'good' : 'bad'} />`}
      ${result && html`<span>${passed} of ${counted(result.tests.length, 'test')} passed</span>`}
    </div>
    <${ProblemNote} problem=${problem} />
    ${result && html`<${Diagnostics} of=${result.diagnostics} /><${Results} tests=${result.tests} />`}
    <${ApiCall} call=${testing} />
  </section>`;
}

// Failed tests are shown immediately; passed tests on demand.
function Results({ tests }: { readonly tests: readonly TestResult[] }) {
  const rowKey = ({ file, name }: TestResult): string => `${file} ${name}`;
  const failed = tests.filter(({ passed }) => !passed);
  const passed = tests.filter((test) => test.passed);
  return html`${failed.length > 0 && html`<${Table} caption="Tests that failed" columns=${columns} rows=${failed} rowKey=${rowKey} />`}
  ${
    passed.length > 0 &&
    html`<details>
      <summary>${counted(passed.length, 'test')} passed</summary>
      <${Table} caption="Tests that passed" columns=${columns.slice(0, 3)} rows=${passed} rowKey=${rowKey} />
    </details>`
  }`;
}

function Changes({ active }: { readonly active: string }) {
  const path = `/policies/-/revisions/${active.replace('sha256:', '')}/diff/drafts`;
  const changes = useGet<{ readonly files: readonly FileDiff[] }>(path);
  return html`<section class="panel stack">
    <h2>3. Review the changes</h2>
    <p class="muted">From the active revision (<code>${shortOf(active)}</code>) to the drafts.</p>
    ${loaded(changes, ({ files }) => html`<${Diff} files=${files} same="The drafts match the active policies" />`)}
  </section>`;
}

function Activate({ active, drafts }: { readonly active: string | undefined; readonly drafts: readonly Policy[] }) {
  const mayActivate = useScope('policies:activate');
  const call: Call = {
    method: 'POST',
    path: '/policies/-/activate',
    body: { drafts: drafts.map(({ id }) => id) },
    key: true,
    // Another user may have activated a revision since this page was loaded.
    ...(active === undefined ? {} : { headers: { 'if-match': `"${active}"` } }),
  };
  return html`<section class="panel stack">
    <h2>4. Activate</h2>
    <p class="muted">
      The whole folder becomes a new revision. Decisions in progress use the old revision. You can roll back.
    </p>
    ${
      mayActivate
        ? html`<div class="row">
            <${Act}
              label=${`Activate ${counted(drafts.length, 'draft')}`}
              main
              says=${html`<p>
                ${drafts.map(({ id }) => html`<code>${id}</code> `)} ${drafts.length === 1 ? 'becomes' : 'become'}
                active for all callers when all checks pass. You must enter your key again.
              </p>`}
              call=${call}
              fields=${[whyChanged]}
              onDone=${() => go(hrefOf('/policies'))}
              done="The drafts are active"
            />
          </div>`
        : html`<${Notice}
            ><p>Your key cannot activate policies. It needs the scope <code>policies:activate</code>.</p><//
          >`
    }
  </section>`;
}
