import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { given } from '../tools/given.ts';
import type { Infer } from '../tools/schema.ts';
import { withoutUnseen } from '../tools/text/html.ts';
import type { platformFile } from './settings.ts';

/** What an operator sets once for all pages. */
export interface Brand {
  readonly name: string;
  /** `#rrggbb` */
  readonly accent?: string;
  readonly logo?: { readonly type: 'image/svg+xml' | 'image/png'; readonly bytes: Uint8Array };
}

type SiteSettings = NonNullable<Infer<typeof platformFile>['site']>;

const defaultName = 'Agent Orb Platform';

const mostLogoBytes = 64 * 1024;
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Reads what an operator set for the pages; what is wrong is collected into `faults`. */
export function readBrand({ name, accent, logo }: SiteSettings, home: string, faults: string[]): Brand {
  const shown = withoutUnseen(name ?? defaultName).trim();
  if (shown === '') faults.push('platform.json/site/name: must contain a visible character');
  const picture = logo === undefined ? undefined : readLogo(resolve(home, logo), faults);
  return { name: shown, ...given({ accent, logo: picture }) };
}

function readLogo(path: string, faults: string[]): Brand['logo'] {
  const fault = (text: string): undefined => void faults.push(`platform.json/site/logo: ${text}`);
  try {
    if (statSync(path).size > mostLogoBytes) return fault('must be a file of at most 64 KiB');
    const bytes = readFileSync(path);
    if (bytes.subarray(0, png.length).equals(png)) return { type: 'image/png', bytes };
    const text = bytes.toString('utf8').trimStart();
    if (/^(?:<\?xml[^>]*\?>\s*)?(?:<!--[^]*?-->\s*)*<svg[\s>]/.test(text)) return { type: 'image/svg+xml', bytes };
    return fault('must be an SVG or a PNG file');
  } catch (error) {
    // The message of the error would name the whole path.
    return fault(`is not readable (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}
