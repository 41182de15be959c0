import { html, type Presentation, type Reply } from '../../../kernel/index.ts';
import type { Pages } from '../contract.ts';

/** Shows a public answer to a person who opened its address in a browser. */
export function dataPage(pages: Pages, { summary, text, address, path }: Presentation & { kind: 'data' }): Reply {
  return pages.page({
    title: summary,
    description: `${summary}: the answer of GET ${path}, as programs get it.`,
    style,
    script: pages.copyScript,
    main: html`<h1>${summary}</h1>
      <p class="lede">This is data for programs. They get it as JSON, without this page.</p>
      <div class="data stack">
        ${pages.codeBlock('request', 'request', `curl ${shellWord(address)}`)}
        ${pages.codeBlock('answer', 'answer', JSON.stringify(JSON.parse(text), undefined, 2))}
      </div>`,
  });
}

function shellWord(text: string): string {
  return /^[\w:/.@-]+$/.test(text) ? text : `'${text.replaceAll("'", '%27')}'`;
}

const style = '.data{margin-top:1.5rem}.data pre{white-space:pre-wrap;overflow-wrap:anywhere}';
