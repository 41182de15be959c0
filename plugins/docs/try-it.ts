import { html, type Html } from '../../kernel/index.ts';
import type { Pages } from '../pages/contract.ts';
import { highlighted } from './highlight.ts';
import type { SampleRequest } from './page.ts';
import { languages } from './reference/samples.ts';

/** Shows a request in each language. */
export function samples(
  request: SampleRequest,
  { pages, publicUrl }: { readonly pages: Pages; readonly publicUrl: string },
): Html {
  return html`<section class="samples" aria-labelledby="examples">
    <h2 id="examples">Examples</h2>
    ${languages.map(
      ([name, write, id], at) =>
        html`<details ${at === 0 && html`open`} name="language">
          <summary>${name}</summary>
          ${pages.codeBlock(`sample-${at}`, `example in ${name}`, highlighted(write(request, publicUrl), id))}
        </details>`,
    )}
  </section>`;
}

/** Shows the form that sends a request from the page; hidden without the script. */
export function tryIt({ method, path, keyed, body }: SampleRequest): Html {
  return html`<section class="panel try" id="try" aria-labelledby="try-title" data-method="${method}" hidden>
    <h2 id="try-title">Try it</h2>
    <p class="muted small">
      The request goes to this server and nowhere else. The key is sent with it and kept nowhere: use a test key
      (<code>orb_test_…</code>), which moves nothing real.
    </p>
    <form autocomplete="off" class="stack">
      <div>
        <label for="try-path">${method}</label>
        <input id="try-path" required value="${path}" maxlength="2000" spellcheck="false" class="mono" />
      </div>
      ${
        keyed &&
        html`<div>
          <label for="try-key">API key</label>
          <input id="try-key" type="password" required maxlength="512" autocomplete="off" />
        </div>`
      }
      ${
        body !== undefined &&
        html`<div>
          <label for="try-body">Body (JSON)</label>
          <textarea id="try-body" rows="${Math.min(16, body.split('\n').length + 1)}" spellcheck="false">
${body}</textarea>
        </div>`
      }
      <button class="button">Send</button>
    </form>
    <div id="try-answer" role="status"></div>
  </section>`;
}

/** The script of the form, plain JavaScript since it is sent as it is. */
export const tryScript = `
const box = document.getElementById('try');
if (box) {
  box.hidden = false;
  const value = (id) => document.getElementById(id)?.value;
  box.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const out = document.getElementById('try-answer');
    const show = (head, text) => {
      const title = document.createElement('p');
      title.textContent = head;
      const block = document.createElement('pre');
      block.tabIndex = 0;
      block.textContent = text;
      out.replaceChildren(title, ...(text === '' ? [] : [block]));
    };
    const path = value('try-path').trim();
    if (!path.startsWith('/') || path.startsWith('//')) return show('The path begins with one slash.', '');
    const key = value('try-key');
    const body = value('try-body');
    const headers = { accept: 'application/json', ...(key ? { authorization: 'Bearer ' + key.trim() } : {}), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    show('Waiting for the answer …', '');
    const begun = performance.now();
    try {
      const answer = await fetch(path, { method: box.dataset.method, headers, body, credentials: 'omit', redirect: 'error' });
      const text = (await answer.text()).slice(0, 200000);
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), undefined, 2); } catch {}
      show(answer.status + ' ' + answer.statusText + ' · ' + Math.round(performance.now() - begun) + ' ms', shown);
    } catch {
      show('No answer: the server cannot be reached, or another address serves this route.', '');
    }
  });
}
`;
