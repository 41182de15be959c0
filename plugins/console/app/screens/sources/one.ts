import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { loaded } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts, Id } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { SourceActs, TestSource } from './acts.ts';
import { Deliveries } from './deliveries.ts';
import { SetupSteps } from './setup.ts';
import type { Setup, Source, SourceHealth } from '../../frame/wire.ts';

/** Shows one source: how it is, what it may name, how it is set up, and what it sent. */
export function OneSource({ params }: ScreenProps) {
  const id = params['source_id'] ?? '';
  const path = `/sources/${encodeURIComponent(id)}`;
  const reading = useGet<Source>(path);
  const health = useGet<SourceHealth>(`${path}/health`);
  const setup = useGet<Setup>(`${path}/setup`);
  const again = (): void => {
    reading.reload();
    health.reload();
  };
  const { value: known, problem } = reading;
  return html`<${Page}
    title=${known?.name ?? id}
    above=${{ href: hrefOf('/sources'), name: 'Sources' }}
    acts=${known && html`<${TestSource} id=${id} main />`}
  >
    ${loaded(
      { value: known, problem, reload: again },
      (source) =>
        html`<div class="row"><${SourceActs} of=${source} onDone=${again} /></div>
          <div class="columns">
            <section class="panel"><${SourceFacts} of=${source} health=${health.value} /></section>
            <details class="panel setup">
              <summary>Settings to enter at ${source.vendor === 'generic' ? 'the vendor' : source.vendor}</summary>
              ${setup.value && html`<${SetupSteps} of=${setup.value} />`}
            </details>
          </div>
          <${Deliveries} title="Dead letters" source=${id} state="dead" none="No dead letters." />
          <${Deliveries}
            title="Latest deliveries"
            source=${id}
            none="No deliveries yet. Send a test, or wait for the vendor."
          />`,
    )}
  <//>`;
}

const tones = { unused: 'none', ok: 'good', stale: 'warn', failing: 'bad', paused: 'warn' } as const;

function SourceFacts({ of: source, health }: { readonly of: Source; readonly health: SourceHealth | undefined }) {
  const { components = [], providers = [], orbs = [] } = source.may_name;
  return html`<${Facts}
    of=${[
      ['Health', health && html`<${Status} of=${health.status} tone=${tones[health.status]} />`],
      ['Last delivery', health && html`<${Time} at=${health.last_delivery_at} />`],
      ['Waiting', health && health.queued > 0 && health.queued],
      ['Dead letters', health && health.dead > 0 && health.dead],
      [
        'Refused',
        health &&
          health.rejected.count > 0 &&
          `${health.rejected.count} requests failed authentication since the start`,
      ],
      [
        'Can report on',
        [...components, ...providers, ...orbs].join(', ') || 'nothing: its alerts open no incident of a subject',
      ],
      ['Authentication', source.auth.scheme],
      [
        'Secrets',
        source.secrets.length > 0 &&
          source.secrets.map(
            ({ version, last_used_at, not_after }) =>
              html`<div>
                ${`Version ${version}, ${last_used_at === undefined ? 'not used yet' : 'used '}`}
                ${last_used_at !== undefined && html`<${Time} at=${last_used_at} />`}
                ${not_after !== undefined && [', until ', html`<${Time} at=${not_after} />`]}
              </div>`,
          ),
      ],
      ['ID', html`<${Id} id=${source.source_id} />`],
    ]}
  />`;
}
