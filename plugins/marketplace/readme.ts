import type { Html } from '../../kernel/index.ts';
import type { Pages } from '../pages/contract.ts';

/** Largest README, in bytes of UTF-8. */
export const readmeLimit = 65_536;

/** Renders the README of an Orb below the h2 of its page; its links are `nofollow` for search engines. */
export async function readmeHtml({ markdown }: Pick<Pages, 'markdown'>, source: string): Promise<Html> {
  const { html } = await markdown(source, {
    headings: [3, 5],
    link: (href) => (isSafe(href) ? { href, rel: 'nofollow noopener ugc' } : undefined),
  });
  return html;
}

/** Says whether a link in a README may have this target. */
export function isSafe(target: string): boolean {
  return /^(https?:\/\/|mailto:)[^\s\\]+$/i.test(target);
}
