import { html, type Html } from '../../kernel/index.ts';
import type { Pages, WebPage } from '../pages/contract.ts';
import type { Package } from './packages.ts';

/** Makes the page of the client libraries: how to install each, and the digests. */
export function clientsPage(
  packages: readonly Package[],
  { publicUrl, version }: { readonly publicUrl: string; readonly version: string },
  pages: Pages,
): WebPage {
  return {
    title: 'Client libraries',
    description: 'Install the client library that fits this server, without internet access.',
    section: '/docs',
    script: pages.copyScript,
    cache: 'no-cache',
    main: html`<div class="stack">
      <h1>Client libraries</h1>
      <p class="lede">
        Version ${version}, the version of this server. They verify every receipt before they hand outputs over.
        <a href="/docs/call/clients">How to use them</a>
      </p>
      ${packages.length === 0 && html`<p class="note note-warn">This program was built without its client libraries.</p>`}
      ${packages.map((one, at) => section(one, at, publicUrl, pages))}
    </div>`,
  };
}

function section({ bytes, name, sha256, url }: Package, at: number, publicUrl: string, pages: Pages): Html {
  const [title, command] = name.endsWith('.tgz')
    ? ['TypeScript and JavaScript', `npm install ${url}`]
    : ['Python', `pip install --index-url ${publicUrl}/clients/simple/ --no-deps agent-orb`];
  return html`<section class="panel stack">
    <h2>${title}</h2>
    ${pages.codeBlock(`install-${at}`, `Install the client for ${title}`, command)}
    <p><a href="/clients/${name}">${name}</a>, ${Math.ceil(bytes.length / 1024)} KiB</p>
    <p>SHA-256 <code>${sha256}</code></p>
  </section>`;
}
