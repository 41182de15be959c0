import { html, reply, type Brand, type Html, type Reply, type RequestInfo } from '../../../kernel/index.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'interest-cohort=()',
  'X-Frame-Options': 'DENY',
} as const;

/**
 * Makes what answers the document of the console: without data, and the same for every address below it. It says when
 * the browser has no session, so that the page need not ask, and be refused, to learn it.
 */
export function createShell(brand: Brand, notice?: Html): (request: Pick<RequestInfo, 'headers'>) => Reply {
  const made = (session: string): string => documentOf(brand, session, notice);
  const documents = { nobody: made('nobody'), perhaps: made('perhaps') };
  return ({ headers: asked }) => {
    const body = hasNoSession(asked) ? documents.nobody : documents.perhaps;
    return reply({ type: 'text/html; charset=utf-8', headers, body });
  };
}

// A browser that comes from another site holds the cookie back, even if it has one.
function hasNoSession({ cookie = '', ...headers }: RequestInfo['headers']): boolean {
  const sendsAll = ['none', 'same-origin'].includes(String(headers['sec-fetch-site']));
  return sendsAll && !/(?:^|;)\s*(?:__Host-)?orb_console=/.test(String(cookie));
}

function documentOf(brand: Brand, session: string, notice: Html | undefined): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Console · ${brand.name}</title>
        <meta name="description" content="Operate this installation: runs, providers, policies, keys." />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href="/console/app.css" />
        <link rel="stylesheet" href="/console/theme.css" />
        <link rel="icon" href="/logo" />
        <script src="/console/app.js" defer></script>
      </head>
      <body>
        ${notice}
        <div id="app" data-brand="${brand.name}" data-session="${session}">
          <noscript>The console needs JavaScript.</noscript>
        </div>
      </body>
    </html> `.toString();
}
