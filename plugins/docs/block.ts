import { html, type Html } from '../../kernel/index.ts';
import { highlighted } from './highlight.ts';

/**
 * Makes what shows the code blocks of a page: coloured, and, unless they are output, with a button that copies them.
 * `copied` says whether one of them has a button, which needs a script.
 */
export function createBlocks() {
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
