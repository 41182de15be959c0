import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, type Reading } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import type { OrbDetail, ProviderRow, ProviderStatus, Reputation, Run } from '../../frame/wire.ts';
import { Act } from '../../parts/act.ts';
import { ApiCall, Json } from '../../parts/code.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id, Table, type Column } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';
import { scoreText, Tier } from '../reputation/words.ts';
import { timeOf } from '../runs/run.ts';
import { SchemaPanel } from './schema.ts';
import { Uses, useSees } from './used.ts';
import { effects } from './words.ts';

/** Shows one Orb: its contract, who serves it, how it stands, where it is used, and its last runs. */
export function OrbScreen({ params: { orb_id: id = '' } }: ScreenProps) {
  const path = `/orbs/${encodeURIComponent(id)}`;
  const reading = useGet<OrbDetail>(path);
  const [serves, runs] = ['providers:read', 'runs:read'].map(useSees);
  const scored = useKnown('reputation:suspend');
  return html`<${Page}
    title=${reading.value?.manifest.title ?? id}
    above=${{ href: hrefOf('/orbs'), name: 'Orbs' }}
    about=${html`<code>${id}</code>`}
    acts=${reading.value && html`<${Acts} of=${reading.value} />`}
  >
    ${loaded(
      reading,
      (of) =>
        html`<${Declared} of=${of} />
          <div class="columns">
            ${serves && html`<${Serving} id=${id} />`} ${scored && html`<${Standing} id=${id} />`}
          </div>
          <${SchemaPanel} title="Inputs" schema=${of.manifest.inputs_schema} />
          <${SchemaPanel} title="Outputs" schema=${of.manifest.outputs_schema} />
          <section class="panel stack">
            <h2>Where it is used</h2>
            <${Uses} orbId=${id} />
          </section>
          ${runs && html`<${LastRuns} id=${id} />`}
          <section class="panel stack">
            <h2>Raw data</h2>
            <details>
              <summary>The manifest as JSON</summary>
              <${Json} value=${of.manifest} label="manifest" />
            </details>
          </section>
          <${ApiCall} call=${{ path }} />`,
      'Loading the Orb',
    )}
  <//>`;
}

function Acts({ of }: { readonly of: OrbDetail }) {
  const { orb_id } = of.manifest;
  const [runs, manages] = ['orbs:execute', 'orbs:manage'].map(useScope);
  const at = `/orbs/${encodeURIComponent(orb_id)}`;
  return html`${runs && html`<a class="button" href=${hrefOf('/try', { orb_id })}>Try it</a>`}
  ${manages && html`<a class="button button-quiet" href=${hrefOf('/orbs/-/new', { from: orb_id })}>New version</a>`}
  ${
    manages &&
    of.source === 'api' &&
    html`<a class="button button-quiet" href=${hrefOf(`${at}/edit`)}>Edit</a><${Delete} of=${of} />`
  }`;
}

function Delete({ of: { manifest, manifest_digest } }: { readonly of: OrbDetail }) {
  const { orb_id } = manifest;
  return html`<${Act}
    label="Delete"
    title=${`Delete ${manifest.title}`}
    says=${html`<p>
        Calls of <code>${orb_id}</code> are refused from then on. Its runs and receipts stay. Open runs must end first.
        If it has ever run, its id stays reserved for this manifest.
      </p>
      <p>These refer to it now:</p>
      <${Uses} orbId=${orb_id} />`}
    word=${orb_id}
    danger
    call=${{
      method: 'DELETE',
      path: `/orbs/${encodeURIComponent(orb_id)}`,
      headers: { 'If-Match': `"${manifest_digest}"` },
    }}
    onDone=${() => go(hrefOf('/orbs'))}
    done=${`${manifest.title} is deleted`}
  />`;
}

function Declared({ of: { manifest, manifest_digest, source } }: { readonly of: OrbDetail }) {
  const { orb_id, capability, effect, action_class, data_classes, timeout_ms, latency_objective_ms } = manifest;
  return html`<section class="panel stack">
    <p>${manifest.description}</p>
    <${Facts}
      of=${[
        ['Capability', capability],
        ['Effect', html`${effect} <span class="muted">${effects[effect]}</span>`],
        ['Action class', action_class],
        ['Data classes', data_classes?.join(', ') ?? 'unclassified'],
        ['Time limit', durationOf(timeout_ms)],
        ['Latency objective', latency_objective_ms !== undefined && durationOf(latency_objective_ms)],
        ['License', manifest.license],
        ['Metered', manifest.metered && 'yes: its runs cost money or tokens'],
        ['Tool of', manifest.upstream && html`<code>${JSON.stringify(manifest.upstream)}</code>`],
        [
          'Defined in',
          source === 'file'
            ? html`<code>data/orbs/${orb_id}.json</code>. To change it, change the file and restart.`
            : 'the store, through the API',
        ],
        ['Manifest digest', html`<code>${manifest_digest}</code>`],
      ]}
    />
  </section>`;
}

function Serving({ id }: { readonly id: string }) {
  const status = useGet<ProviderStatus>(`/providers/${encodeURIComponent(id)}/status`);
  const line = ({ name, adapter, role, health }: ProviderRow) =>
    html`<li>${name} <span class="muted">${adapter}, ${role}</span> <${Status} of=${health} /></li>`;
  return html`<section class="panel stack">
    <h2>Providers</h2>
    ${loaded(status, ({ providers }) =>
      providers.length === 0
        ? html`<p class="muted">No provider offers its capability: every run fails.</p>`
        : html`<ol class="plain">
            ${providers.map(line)}
          </ol>`,
    )}
    <p><a href=${hrefOf(`/providers/${encodeURIComponent(id)}`)}>Swap the provider</a></p>
  </section>`;
}

function Standing({ id }: { readonly id: string }) {
  const path = `/reputation/${encodeURIComponent(id)}`;
  const reputation: Reading<Reputation> = useGet(path);
  return html`<section class="panel stack">
    <h2>Reputation</h2>
    ${loaded(
      reputation,
      ({ status, reputation_score, certification_tier, evidence }) =>
        html`<p class="row">
            <strong>${scoreText(reputation_score)}</strong>
            ${status === 'suspended' ? html`<${Status} of="suspended" />` : html`<${Tier} of=${certification_tier} />`}
          </p>
          <p class="muted">${evidence.runs_counted.toLocaleString('en')} runs count.</p>`,
    )}
    <p><a href=${hrefOf(path)}>How the score is made</a></p>
  </section>`;
}

const columns: readonly Column<Run>[] = [
  { title: 'Run', cell: ({ run_id }) => html`<${Id} id=${run_id} href=${hrefOf(`/runs/${run_id}`)} />` },
  { title: 'Status', cell: ({ status }) => html`<${Status} of=${status} />` },
  { title: 'Provider', cell: ({ provider }) => provider ?? '–' },
  { title: 'Started', cell: (run) => html`<${Time} at=${timeOf(run)} />` },
  { title: 'Duration', figures: true, cell: ({ execution_ms }) => durationOf(execution_ms) },
];

function LastRuns({ id }: { readonly id: string }) {
  const runs = useGet<{ readonly runs: readonly Run[] }>(withQuery('/runs', { orb_id: id, limit: 5 }));
  return html`<section class="stack">
    <h2>Last runs</h2>
    ${loaded(
      runs,
      (found) =>
        html`<${Table}
          caption="Last runs"
          columns=${columns}
          rows=${found.runs}
          rowKey=${({ run_id }: Run) => run_id}
          empty=${html`<${Empty} title="It has not run yet">
            <p><a href=${hrefOf('/try', { orb_id: id })}>Try it</a>.</p>
          <//>`}
        />`,
    )}
    <p><a href=${hrefOf('/runs', { orb_id: id })}>All runs of this Orb</a></p>
  </section>`;
}
