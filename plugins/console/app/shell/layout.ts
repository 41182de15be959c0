import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { switchZone, useUtc, zoneName } from '../parts/time.ts';
import { Announcer } from '../frame/announce.ts';
import { Brand } from '../frame/brand.ts';
import { Combobox } from './combobox.ts';
import { useFindings } from './finder.ts';
import { Help } from './help.ts';
import { html } from '../frame/html.ts';
import { go, hrefOf, usePlace } from '../frame/router.ts';
import type { Screen } from '../frame/screen.ts';
import { sees, useSession } from '../frame/session.ts';
import { Palette, usePaletteKey } from './palette.ts';
import { useShortcuts } from './shortcuts.ts';

/** What surrounds every screen. */
export interface LayoutProps {
  readonly screens: readonly Screen[];
  readonly onSignOut: () => void;
  readonly children?: ComponentChildren;
}

/** Lays out the console: the brand, the search, the tabs that the key may see, and the screen. */
export function Layout({ screens, onSignOut, children }: LayoutProps) {
  const session = useSession();
  const [help, setHelp] = useState(false);
  const [palette, setPalette] = useState(false);
  const [on, setOn] = useState(true);
  const search = useRef<HTMLInputElement>(null);
  const tabs = screens.filter((screen) => screen.tab !== undefined && sees(session, screen));
  const jumps = Object.fromEntries(tabs.map(({ tab, path }) => [tab?.jump ?? '', hrefOf(path)]));
  const keys = { '/': () => search.current?.focus(), '?': () => setHelp(true), u: switchZone };
  useShortcuts({ jumps, go, keys, on });
  usePaletteKey(() => setPalette(true));
  return html`<a class="skip" href="#main">Skip to content</a>
    <div class="shell">
      <${Head} field=${search} screens=${screens} tabs=${tabs} onSignOut=${onSignOut} onHelp=${() => setHelp(true)} />
      <aside class="side">
        <${Tabs} tabs=${tabs} /><${Self} onSignOut=${onSignOut} onHelp=${() => setHelp(true)} />
      </aside>
      <main id="main" tabindex="-1">${children}</main>
    </div>
    <${Announcer} />
    ${palette && html`<${Palette} screens=${screens} onClose=${() => setPalette(false)} />`}
    ${help && html`<${Help} tabs=${tabs} on=${on} onSwitch=${setOn} onClose=${() => setHelp(false)} />`}`;
}

interface HeadProps {
  readonly screens: readonly Screen[];
  readonly tabs: readonly Screen[];
  readonly field: { readonly current: HTMLInputElement | null };
  readonly onSignOut: () => void;
  readonly onHelp: () => void;
}

function Head({ screens, tabs, field, onSignOut, onHelp }: HeadProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  // A menu that stays open would cover the screen that was chosen.
  const close = (event: Event): void => {
    if (menu.current !== null && event.target instanceof Element && event.target.closest('a, button') !== null)
      menu.current.open = false;
  };
  return html`<header class="head">
    <${Brand} />
    <${Search} field=${field} screens=${screens} />
    <details class="menu" ref=${menu}>
      <summary>Menu</summary>
      <div class="menu-body" onClick=${close}>
        <${Tabs} tabs=${tabs} />
        <${Self} onSignOut=${onSignOut} onHelp=${onHelp} />
      </div>
    </details>
  </header>`;
}

// Enter opens the first of what is found.
function Search({ field, screens }: Pick<HeadProps, 'field' | 'screens'>) {
  const [text, setText] = useState('');
  const findings = useFindings(text, screens);
  return html`<div class="search">
    <${Combobox}
      id="search"
      label="Search"
      hint="Search, or paste an id"
      ...${{ field, text, findings, onText: setText, onDone: () => setText('') }}
    />
    <kbd aria-hidden="true">/</kbd>
  </div>`;
}

function Tabs({ tabs }: { readonly tabs: readonly Screen[] }) {
  const { path } = usePlace();
  const isHere = (tab: string): boolean => (tab === '/' ? path === '/' : path === tab || path.startsWith(`${tab}/`));
  return html`<nav class="tabs" aria-label="Console">
    <ul>
      ${tabs.map(
        (tab) =>
          html`<li>
            <a href=${hrefOf(tab.path)} aria-current=${isHere(tab.path) ? 'page' : undefined}>${tab.title}</a>
          </li>`,
      )}
    </ul>
  </nav>`;
}

// Who is signed in, and how times are shown.
function Self({ onSignOut, onHelp }: { readonly onSignOut: () => void; readonly onHelp: () => void }) {
  const { name, mode, tenant } = useSession();
  const utc = useUtc();
  return html`<div class="self small">
    <p><strong>${name}</strong> ${mode === 'test' && html`<span class="chip">test key</span>`}</p>
    ${tenant !== undefined && html`<p class="muted">Tenant ${tenant}</p>`}
    <p class="row">
      <button class="link" type="button" onClick=${switchZone}>Times: ${utc ? 'UTC' : zoneName(false)}</button>
    </p>
    <p class="row">
      <button class="link" type="button" onClick=${onHelp}>Shortcuts and help</button>
      <button class="link" type="button" onClick=${onSignOut}>Sign out</button>
    </p>
  </div>`;
}
