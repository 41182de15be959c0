import { posix } from 'node:path';

/** One page of the documentation. */
export interface Page {
  /** Its file below `pages/` without `.md`, or what stands for that of a page that the program makes: `call`, `api/getRun`. */
  readonly path: string;
  readonly title: string;
  /** The page of the index that lists it, for a page that the index does not. */
  readonly listedOn?: string;
  /** Its text, in Markdown. */
  source(): string;
}

/** Gives the address of a page. */
export function addressOf(path: string): string {
  return path === 'index' ? '/docs' : `/docs/${path}`;
}

/**
 * Says where a link of a page leads. A page of the documentation: to its address. Another file of the repository: nowhere,
 * the program does not serve it. An address of the program or of the web: there.
 */
export function followLink(from: string, target: string): { readonly href: string; readonly rel?: string } | undefined {
  if (/^https?:\/\//.test(target)) return { href: target, rel: 'noopener noreferrer' };
  if (/^[#/]/.test(target)) return { href: target };
  const [file = '', anchor] = target.split('#');
  const path = posix.join(posix.dirname(from), file);
  if (path.startsWith('..') || !path.endsWith('.md')) return undefined;
  return { href: addressOf(path.slice(0, -'.md'.length)) + (anchor === undefined ? '' : `#${anchor}`) };
}
