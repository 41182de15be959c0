import { posix } from 'node:path';

/** A request of an example: what the languages below write in their own way. */
export interface SampleRequest {
  readonly method: string;
  /** With example values in place of the parameters, and the query that is needed. */
  readonly path: string;
  readonly keyed: boolean;
  /** JSON; undefined: no body, or another form than JSON. */
  readonly body: string | undefined;
}

/** One page of the documentation. */
export interface Page {
  /** Path of its file below `pages/` without `.md`, or a similar path for a generated page: `call`, `api/getRun`. */
  readonly path: string;
  readonly title: string;
  /** The indexed page that lists this page, when the index itself does not list it. */
  readonly listedOn?: string;
  /** The request of the examples of a page about a route. */
  readonly sample?: () => SampleRequest;
  /** Returns the page's text in Markdown. */
  source(): string;
}

/** Returns the URL path of a page. */
export function addressOf(path: string): string {
  return path === 'index' ? '/docs' : `/docs/${path}`;
}

/**
 * Resolves a link in a page. A link to a documentation page gets that page's URL path. A link to another file of the
 * repository gives undefined: the program does not serve it. A link to the program or the web stays as it is.
 */
export function followLink(from: string, target: string): { readonly href: string; readonly rel?: string } | undefined {
  if (/^https?:\/\//.test(target)) return { href: target, rel: 'noopener noreferrer' };
  if (/^[#/]/.test(target)) return { href: target };
  const [file = '', anchor] = target.split('#');
  const path = posix.join(posix.dirname(from), file);
  if (path.startsWith('..') || !path.endsWith('.md')) return undefined;
  return { href: addressOf(path.slice(0, -'.md'.length)) + (anchor === undefined ? '' : `#${anchor}`) };
}

/** One search result: a section of a page. */
export interface Hit {
  readonly address: string;
  readonly page: string;
  /** The heading of the section; empty for the beginning of a page. */
  readonly section: string;
  /** Some text around the first search word found. */
  readonly excerpt: string;
}

/** Most results of one search. */
export const mostHits = 30;
