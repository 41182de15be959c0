import { html } from '../frame/html.ts';
import { Page } from '../frame/page.ts';
import { useGet } from '../frame/reading.ts';
import { Time } from '../parts/time.ts';
import { Empty, Loading, ProblemNote } from '../parts/notice.ts';

/** One kind of what needs a person. */
interface Concern {
  readonly name: string;
  readonly count: number;
  readonly more?: boolean;
  readonly link: string;
  readonly newest: readonly {
    readonly id: string;
    readonly title: string;
    readonly at?: string;
    readonly link?: string;
  }[];
}

/** The home: what needs a person now. */
export function Home() {
  const { value, problem, loading, reload } = useGet<{ readonly concerns: readonly Concern[] }>('/overview');
  const found = value?.concerns.filter(({ count }) => count > 0) ?? [];
  return html`<${Page} title="Needs you" about="What waits for a person, of what your key may see.">
    <${ProblemNote} problem=${problem} retry=${reload} />
    ${loading && value === undefined && html`<${Loading} />`}
    ${value !== undefined && found.length === 0 && html`<${Empty} title="Nothing needs you" />`}
    ${found.map(
      ({ name, count, more, newest }) =>
        html`<section class="panel" key=${name}>
          <h2>${name.replaceAll('_', ' ')} <span class="chip">${count}${more && '+'}</span></h2>
          <ul>
            ${newest.map(({ id, title, at }) => html`<li>${title} <code>${id}</code> <${Time} at=${at} /></li>`)}
          </ul>
        </section>`,
    )}
  <//>`;
}
