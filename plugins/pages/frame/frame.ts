import { html, trusted, type Brand, type Html, type Section } from '../../../kernel/index.ts';

type Rgb = readonly [number, number, number];

// The grounds on which both colour schemes show the accent, and the least contrast of a graphic (WCAG 1.4.11).
const grounds = { light: [246, 247, 249], dark: [27, 33, 42] } as const;
const leastContrast = 3;
const black: Rgb = [11, 15, 20];
const white: Rgb = [255, 255, 255];

/** Writes the rules that set the accent of the operator, in a tone that each colour scheme can show. */
export function accentStyle({ accent }: Brand): string {
  if (accent === undefined) return '';
  const given: Rgb = [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16)) as unknown as Rgb;
  const light = rulesOf(toned(given, grounds.light, black));
  return `:root{${light}}@media(prefers-color-scheme:dark){:root{${rulesOf(toned(given, grounds.dark, white))}}}`;
}

function rulesOf(accent: Rgb): string {
  const text = contrast(accent, white) >= contrast(accent, black) ? white : black;
  return `--accent:rgb(${accent.join(' ')});--on-accent:rgb(${text.join(' ')})`;
}

function toned(color: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let part = 0; part < 1; part += 0.05) {
    const mixed = color.map((value, at) => Math.round(value + part * ((towards[at] ?? 0) - value)));
    if (contrast(mixed as unknown as Rgb, ground) >= leastContrast) return mixed as unknown as Rgb;
  }
  return towards;
}

function contrast(one: Rgb, other: Rgb): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The mark of the program as a file. */
export const markSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26"><circle cx="13" cy="13" r="13" fill="#fff"/><circle cx="13" cy="13" r="11" fill="none" stroke="#141a22" stroke-width="2"/><circle cx="13" cy="13" r="5" fill="#141a22"/><circle cx="20.5" cy="5.5" r="4" fill="#3b82f6"/></svg>';

const mark = trusted(
  '<svg width="26" height="26" viewBox="0 0 26 26" fill="none" aria-hidden="true" focusable="false"><circle cx="13" cy="13" r="11.5" stroke="currentColor" stroke-width="2"/><circle cx="13" cy="13" r="5" fill="currentColor"/><circle cx="20.5" cy="5.5" r="3.5" fill="var(--accent)"/></svg>',
);

/** Writes the head of a page: the brand, and the navigation, behind a button where there is little room. */
export function headOf(
  brand: Brand,
  sections: readonly Section[],
  { section, saved }: { readonly section: string | undefined; readonly saved: boolean },
): Html {
  const shown = sections.filter(({ foot }) => foot === undefined);
  const list = html`<ul>
    ${shown.map(
      ({ path, href, name }) =>
        html`<li><a href="${href}" ${path === section && html` aria-current="page"`}>${name}</a></li>`,
    )}
  </ul>`;
  const picture = brand.logo === undefined || saved ? mark : trusted('<img src="/logo" width="26" height="26" alt="">');
  // The width of the window decides which of the two navigations is shown; the other is hidden, also from screen
  // readers.
  return html`<header class="site-head">
    <div class="wrap">
      <a class="brand" href="/">${picture}<span>${brand.name}</span></a>
      ${
        shown.length > 0 &&
        html`<nav class="site-nav wide" aria-label="Site">${list}</nav>
          <details class="site-menu">
            <summary>Menu</summary>
            <nav class="site-nav" aria-label="Site">${list}</nav>
          </details>`
      }
    </div>
  </header>`;
}

/** Writes what the operator says at the top of every page; undefined without it. */
export function noticeOf({ notice }: Brand): Html | undefined {
  if (notice === undefined) return undefined;
  return html`<aside class="site-notice" aria-label="Notice"><p class="wrap">${notice}</p></aside>`;
}

/** Writes the foot of a page. */
export function footOf(sections: readonly Section[], version: string): Html {
  const shown = sections.filter(({ foot }) => foot !== undefined);
  return html`<footer class="site-foot">
    <div class="wrap">
      ${shown.map(
        ({ href, name, foot }) =>
          html`<p>${foot}</p>
            <p><a href="${href}">${name}</a></p>`,
      )}
      ${version !== '' && html`<p>Version ${version}</p>`}
    </div>
  </footer>`;
}
