import { html, type Html } from '../../../kernel/index.ts';

/** Shows a text to be copied, under an id that is unique on the page; the button appears where `copyScript` runs. */
export function codeBlock(id: string, label: string, text: string | Html): Html {
  return html`<div class="code-block">
    <pre tabindex="0" role="region" aria-label="${label}"><code id="${id}">${text}</code></pre>
    <button class="button button-quiet copy" type="button" data-copy="${id}" hidden>
      Copy<span class="hidden"> ${label}</span>
    </button>
  </div>`;
}

/**
 * The script of a page with code blocks: its buttons copy their text, or select it where the browser does not let them.
 * Plain JavaScript, since it is sent as it is.
 */
export const copyScript = `
for (const button of document.querySelectorAll('[data-copy]')) {
  const words = button.firstChild;
  const text = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      words.data = 'Copied';
    } catch {
      getSelection().selectAllChildren(text);
      words.data = 'Selected';
    }
    setTimeout(() => { words.data = 'Copy'; }, 2000);
  });
}
`;
