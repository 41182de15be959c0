import { OrbError } from './error.ts';
import type { OrbOptions } from './surface.ts';

declare const ORB_CLIENT_VERSION: string | undefined;

/** Version of the client. */
export const version: string = typeof ORB_CLIENT_VERSION === 'string' ? ORB_CLIENT_VERSION : '0.0.0';

interface Runtime {
  readonly process?: { readonly versions: { readonly node?: string } };
  readonly navigator?: { readonly userAgent?: string };
  readonly document?: unknown;
}

const { document, navigator, process } = globalThis as Runtime;
const isBrowser = document !== undefined;

// `Node.js/24`, `Deno/2.9.6`. Node 20 has no navigator.
const runtime = navigator?.userAgent ?? `node/${process?.versions.node?.split('.')[0]}`;

/** Names the client and its runtime; a browser says nothing of either. */
export const agent = isBrowser ? undefined : `ts/${version} ${runtime.toLowerCase().replace('.js', '')}`;

/** Refuses a live key where everybody can read it. */
export function checkPlace(token: string, { dangerouslyAllowBrowser }: OrbOptions): void {
  if (isBrowser && token.startsWith('orb_live_') && dangerouslyAllowBrowser !== true)
    throw new OrbError(
      'browser',
      'a live key in a browser can be read by everybody; set `dangerouslyAllowBrowser` all the same',
    );
}

/** The clock of the runtime. */
export const time = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(timer);
  },
};
