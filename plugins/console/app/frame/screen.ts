import type { ComponentType } from 'preact';

/** What a screen is given: the values of its path, and its query. */
export interface ScreenProps {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** A screen of the console: one row of the table in screens.ts; its component, or how it is loaded when it is opened. */
export type Screen = ScreenRow &
  ({ readonly component: ComponentType<ScreenProps> } | { readonly load: () => Promise<ComponentType<ScreenProps>> });

interface ScreenRow {
  /** Below `/console`: `/runs/{run_id}`; `/` is the home. */
  readonly path: string;
  readonly title: string;
  /** Scopes that open the screen, also if they cover only some Orbs; absent: every key may open it. */
  readonly scope?: string | readonly string[];
  /** A scope of the plugin behind the screen; without the plugin, the screen does not exist. */
  readonly known?: string;
  /** A tab of the navigation, with the key that jumps there after `g`. */
  readonly tab?: { readonly jump: string };
  /** Ids that begin so are looked up here: what comes after it in the path is the id. */
  readonly ids?: string;
  /** Things of this kind, as `GET /search` names it, are shown here: what comes after it in the path is the id. */
  readonly finds?: string;
}
