import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { sees, useSession } from '../../frame/session.ts';
import { Attention, type Overview } from './attention.ts';
import { FirstSteps } from './first-steps.ts';
import { LatestIncidents, LatestSwaps } from './latest.ts';
import { Numbers } from './numbers.ts';
import { ProviderHealth } from './provider-health.ts';
import { Spend } from './spend.ts';

/** The home: what needs a person now, the first steps of a new installation, and how runs and providers are. */
export function Home({ query }: ScreenProps) {
  const session = useSession();
  const may = (scope: string): boolean => sees(session, { scope });
  const overview = useGet<Overview>('/overview');
  // What follows would move when the first part arrives.
  const follows = (overview.value ?? overview.problem) !== undefined;
  return html`<${Page} title="Home" about="What to act on now, and how runs and providers are doing.">
    <${Attention} overview=${overview} />
    ${follows && html`<${FirstSteps} />`} ${follows && may('stats:read') && html`<${Numbers} step=${query['step']} />`}
    <div class="columns">
      ${follows && may('providers:read') && html`<${ProviderHealth} /><${LatestSwaps} />`}
      ${follows && may('incidents:read') && html`<${LatestIncidents} />`}
      ${follows && may('usage:read') && html`<${Spend} />`}
    </div>
  <//>`;
}
