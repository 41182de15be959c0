import type { Presentation, Reply } from '../../../kernel/index.ts';
import type { Pages } from '../contract.ts';
import { dataPage } from './data-page.ts';
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
