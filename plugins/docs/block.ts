import { html, type Html } from '../../kernel/index.ts';
import { highlighted } from './highlight.ts';

/** Shows the code blocks of one page. */
export interface Blocks {
  readonly show: (text: string, language: string) => Html;
  /** Says whether one of them has a button, which needs a script. */
  readonly copied: () => boolean;
}

/** Makes what shows the code blocks of a page: coloured, and, unless they are output, with a button that copies them. */
export function createBlocks(): Blocks {
  let count = 0;
  const show = (text: string, language: string): Html => {
    const code = highlighted(text, language);
    if (language === '' || language === 'text') return html`<pre tabindex="0"><code>${code}</code></pre>`;
    count += 1;
    const id = `block-${count}`;
    return html`<div class="code-block">
      <pre tabindex="0"><code id="${id}">${code}</code></pre>
      <button class="button button-quiet copy" type="button" data-copy="${id}" hidden>
        Copy<span class="hidden"> example ${count}</span>
      </button>
    </div>`;
  };
  return { show, copied: () => count > 0 };
}

/** Styles of the colours; each has a contrast of at least 4.5:1. */
export const blockStyle =
  '.hl-comment{color:var(--muted)}.hl-string{color:var(--good)}.hl-value{color:var(--warn)}.hl-word{color:var(--link)}';
