import type { BodyOf, Reply, Section } from '../../kernel/index.ts';
import { createPages } from '../../plugins/pages/pages.ts';

/** Makes pages of an installation whose operator set nothing. */
export const pages = createPages({ brand: { name: 'Agent Orb Platform' }, version: '' });

/** Writes a page, for a listener with these sections. */
export function written({ body }: Reply, sections: readonly Section[] = []): ReturnType<BodyOf> {
  return (body as BodyOf)(sections);
}
