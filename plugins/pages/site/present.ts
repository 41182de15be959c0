import { html, type Presentation, type Reply } from '../../../kernel/index.ts';
import type { Pages } from '../contract.ts';
import { failurePage, problemTypePage } from './problem-page.ts';

/** Makes what answers the kernel with a page. */
export function createPresent(pages: Pages, publicUrl: string): (what: Presentation) => Reply {
  const explained = new Map<string, Reply>();
  return (what) => {
    if (what.kind === 'failure') return failurePage(pages, what);
    if (what.kind === 'data') return dataPage(pages, what);
    const { type } = what;
    const page = explained.get(type.code) ?? problemTypePage(pages, type, publicUrl);
    explained.set(type.code, page);
    return page;
  };
}

// Shows a public answer to a person who opened its address in a browser.
function dataPage(pages: Pages, { summary, text, address, path }: Presentation & { kind: 'data' }): Reply {
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
