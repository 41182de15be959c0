import { html } from '../../frame/html.ts';
import { Empty } from '../../parts/notice.ts';
import { Table, type Column } from '../../parts/table.ts';
import { scoreText } from './words.ts';
import type { Day } from '../../frame/wire.ts';

const marks = [100, 75, 50, 25, 0];

const columns: readonly Column<Day>[] = [
  { title: 'Day', cell: ({ day }) => day },
  { title: 'Score', figures: true, cell: ({ score_exact }) => (score_exact === null ? '–' : score_exact.toFixed(1)) },
  { title: 'Status', cell: ({ status }) => status },
  { title: 'Tier', cell: ({ certification_tier: tier }) => tier },
  { title: 'Limited by', cell: ({ limited_by = '' }) => limited_by },
];

/** Draws the score of each day; the same figures are in a table below. */
export function ScoreChart({ days }: { readonly days: readonly Day[] }) {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined)
    return html`<${Empty} title="No daily snapshots yet"><p>A snapshot is created each day at 00:00 UTC.</p><//>`;
  if (days.every(({ score_exact: score }) => score === null))
    return html`<p class="muted">No day had a score, from ${first.day} to ${last.day}.</p>`;
  return html`<figure class="chart">
      <div class="chart-marks" aria-hidden="true">${marks.map((mark) => html`<span>${mark}</span>`)}</div>
      <svg class="chart-plot" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=${labelOf(days)}>
        ${marks.map((mark) => html`<line class="chart-grid" x1="0" x2="100" y1=${100 - mark} y2=${100 - mark} />`)}
        ${linesOf(days).map((path) => html`<path class="chart-line" d=${path} />`)}
      </svg>
      <figcaption class="chart-span small muted"><span>${first.day}</span><span>${last.day}</span></figcaption>
    </figure>
    <details>
      <summary>Show as a table</summary>
      <${Table} caption="Score by day" columns=${columns} rows=${[...days].reverse()} rowKey=${({ day }: Day) => day} />
    </details>`;
}

function labelOf(days: readonly Day[]): string {
  const last = days.at(-1);
  const scores = days.flatMap(({ score_exact: score }) => (score === null ? [] : [score]));
  if (scores.length === 0) return `${days.length} days without a score`;
  const range = `between ${Math.min(...scores).toFixed(1)} and ${Math.max(...scores).toFixed(1)}`;
  return `Score of ${days.length} days, ${range}; last ${scoreText(last?.reputation_score ?? null)}`;
}

// One path for each stretch of days with a score; a stretch of one day is a dot.
function linesOf(days: readonly Day[]): readonly string[] {
  const step = 100 / Math.max(1, days.length - 1);
  const lines: string[] = [];
  let line = '';
  for (const [at, { score_exact: score }] of days.entries()) {
    if (score === null) {
      if (line !== '') lines.push(line);
      line = '';
    } else {
      const point = `${(at * step).toFixed(2)} ${(100 - score).toFixed(2)}`;
      line += line === '' ? `M${point}h.01` : `L${point}`;
    }
  }
  return line === '' ? lines : [...lines, line];
}
