import type { Pages } from './contract.ts';
import { codeBlock, copyScript } from './frame/code-block.ts';
import { accentStyle, noticeOf } from './frame/frame.ts';
import { pageStyle } from './frame/page-style.ts';
import { createPage, type Installation } from './frame/web-page.ts';
import { markdown } from './markdown.ts';

/** Makes the service for an installation. */
export function createPages(installation: Installation): Pages {
  return Object.freeze({
    page: createPage(installation),
    ...{ markdown, codeBlock, copyScript },
    style: pageStyle,
    notice: noticeOf(installation.brand),
    accent: accentStyle(installation.brand),
  });
}
