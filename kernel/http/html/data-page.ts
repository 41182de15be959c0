import type { Reply, Route } from '../route.ts';
import { codeBlock, copyScript } from './code-block.ts';
import { html } from './html.ts';
import { webPage } from './web-page.ts';

/** A longer response is not shown as a page: formatting it would block the main thread. */
export const mostShown = 64 * 1024;

/** Shows a public answer to a person who opened its address in a browser; `text` is the JSON that programs get. */
export function dataPage({ summary }: Pick<Route, 'summary'>, text: string, { address, path }: Shown): Reply {
  return webPage({
    title: summary,
    description: `${summary}: the answer of GET ${path}, as programs get it.`,
    style,
    script: copyScript,
    main: html`<h1>${summary}</h1>
      <p class="lede">This is data for programs. They get it as JSON, without this page.</p>
      <div class="data stack">
        ${codeBlock('request', 'request', `curl ${shellWord(address)}`)}
        ${codeBlock('answer', 'answer', JSON.stringify(JSON.parse(text), undefined, 2))}
      </div>`,
  });
}

/** Where the answer is found. */
interface Shown {
  readonly address: string;
  /** As the route declares it. */
  readonly path: string;
}

function shellWord(text: string): string {
  return /^[\w:/.@-]+$/.test(text) ? text : `'${text.replaceAll("'", '%27')}'`;
}

const style = '.data{margin-top:1.5rem}.data pre{white-space:pre-wrap;overflow-wrap:anywhere}';
