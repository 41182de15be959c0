import { html } from '../../frame/html.ts';
import { Empty } from '../../parts/notice.ts';
import type { FileDiff } from '../../frame/wire.ts';

/** Shows how files differ, as unified diffs: the sign before a line says what its colour says. */
export function Diff({ files, same }: { readonly files: readonly FileDiff[]; readonly same: string }) {
  if (files.length === 0) return html`<${Empty} title=${same} />`;
  return html`<div class="stack">
    ${files.map(
      ({ path, change, diff }) =>
        html`<section class="diff-file" key=${path}>
          <h3><code>${path}</code> <span class="chip">${change}</span></h3>
          <pre class="diff" tabindex="0" role="region" aria-label=${`Changes of ${path}`}><code>${diff
            .replace(/\n$/, '')
            .split('\n')
            .map((line) => html`<span class=${kindOf(line)}>${`${line}\n`}</span>`)}</code></pre>
        </section>`,
    )}
  </div>`;
}

function kindOf(line: string): string {
  if (/^(\+\+\+|---|@@)/.test(line)) return 'diff-place';
  return line.startsWith('+') ? 'diff-added' : line.startsWith('-') ? 'diff-removed' : '';
}
