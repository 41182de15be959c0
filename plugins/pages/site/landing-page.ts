import { html, type Brand, type Html, type Reply, type Section } from '../../../kernel/index.ts';
import type { Pages } from '../contract.ts';

/** What the pages of the site say of the installation. */
export interface Site {
  readonly brand: Brand;
  readonly version: string;
  /** Base of links, without a slash at the end. */
  readonly publicUrl: string;
}

/** Shows what this installation is, and where to go from here. */
export function landingPage(pages: Pages, { brand, publicUrl, version }: Site): Reply {
  return pages.page({
    title: 'Welcome',
    description: 'Send e-mail, call APIs and use tools through one server, and get a signed receipt for every call.',
    canonical: `${publicUrl}/`,
    style,
    script: pages.copyScript,
    cache: 'public, max-age=60',
    headers: { Vary: 'Accept' },
    main: (sections) =>
      html`<div class="hero">
          <div>
            <h1>${brand.name}</h1>
            <p class="lede">
              Apps and AI agents send e-mail, call APIs and use tools through this server. A policy decides each call, a
              provider that you can swap at any time does the work, and you get a signed receipt that anyone can verify.
            </p>
          </div>
          <dl class="facts">
            <dt>Address</dt>
            <dd class="mono">${publicUrl}</dd>
            <dt>Version</dt>
            <dd>${version}</dd>
          </dl>
        </div>
        <ul class="doors">
          ${sections.filter(({ about }) => about !== undefined).map(door)}
        </ul>
        <section class="panel first-call" aria-labelledby="first-call">
          <h2 id="first-call">Make your first call</h2>
          <p class="muted">Set <code>ORB_KEY</code> to your API key. The demo Orb is built in.</p>
          ${pages.codeBlock('first', 'first call', firstCall(publicUrl))}
        </section>`,
  });
}

function door({ href, name, about }: Section): Html {
  return html`<li>
    <a class="panel" href="${href}"><strong>${name}</strong><span>${about}</span></a>
  </li>`;
}

function firstCall(publicUrl: string): string {
  return [
    `curl ${publicUrl}/orbisets/default/execute \\`,
    `  -H "Authorization: Bearer $ORB_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"orb_id": "demo.echo@1.0.0", "inputs": {"text": "hello"}}'`,
  ].join('\n');
}

const style = `
.hero{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,19rem);gap:1.5rem 3rem;align-items:end}.hero h1{font-size:clamp(2rem,1.3rem + 3vw,3rem);overflow-wrap:anywhere}
.doors{list-style:none;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:1rem;margin-top:2.25rem}
.doors a{display:flex;flex-direction:column;gap:.35rem;height:100%;color:var(--text);text-decoration:none;border-left:4px solid var(--accent)}.doors a:hover{border-color:var(--accent)}.doors strong{font-size:1.0625rem}.doors span{color:var(--muted)}
.first-call{margin-top:1rem}
@media(max-width:52rem){.hero{grid-template-columns:minmax(0,1fr)}}
`.replaceAll('\n', '');

/** Describes the installation to a language model that reads `/llms.txt`. */
export function llmsText({ brand, publicUrl, version }: Site, sections: readonly Section[]): string {
  const address = (href: string): string => (href.startsWith('/') ? publicUrl + href : href);
  const links = sections
    .filter(({ about }) => about !== undefined)
    .map(({ name, href, about }) => `- [${name}](${address(href)}): ${about}`);
  return [
    `# ${brand.name}`,
    '',
    '> Runs Orbs (versioned actions such as sending an e-mail) through providers that you can swap, and returns a signed receipt for each run.',
    '',
    `Version ${version}. Base address: ${publicUrl}. Authenticate with \`Authorization: Bearer <key>\`. Every failure is problem+json; decide by its \`code\`.`,
    '',
    '## Links',
    '',
    `- [OpenAPI 3.1](${publicUrl}/openapi.json): every route, as data`,
    ...links,
    '',
  ].join('\n');
}
