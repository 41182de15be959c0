import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageDir } from '../../../helpers/folder.ts';

/** A row of the table of screens, as far as tests of all screens use it. */
export interface ScreenRow {
  readonly path: string;
  readonly title: string;
}

/** Reads the table of screens from the app itself, so that a new screen is among them. */
export async function allScreens(): Promise<readonly ScreenRow[]> {
  // By its address: the types of the app are those of a browser.
  const table = pathToFileURL(join(packageDir, 'plugins/console/app/screens.ts')).href;
  const { screens } = (await import(table)) as { readonly screens: readonly ScreenRow[] };
  return screens;
}

const name = /\{(\w+)\}/g;

/** Fills the path of a screen: by ids that are known, by a link that some screen has, else by an id that is unknown. */
export function pathOf(
  screen: ScreenRow,
  ids: Readonly<Record<string, string>>,
  links: readonly string[],
): { readonly path: string; readonly known: boolean } {
  const { path } = screen;
  const names = [...path.matchAll(name)].map(([, one = '']) => one);
  const filled = (value: (one: string) => string): string =>
    path.replace(name, (_, one: string) => encodeURIComponent(value(one)));
  if (names.every((one) => ids[one] !== undefined)) return { path: filled((one) => ids[one] ?? ''), known: true };
  const pattern = new RegExp(`^${path.replace(name, '[^/]+')}$`);
  const link = links.find((one) => pattern.test(one));
  return link === undefined ? { path: filled(() => 'unknown'), known: false } : { path: link, known: true };
}

/** The screens that show texts of strangers as soon as they are opened. */
export const showing: ReadonlySet<string> = new Set([
  '/approvals/{approval_id}',
  '/orbs',
  '/orbs/{orb_id}',
  '/orbs/{orb_id}/edit',
  '/orbisets/{id}',
  '/orbisets/{id}/edit',
  '/providers/new',
  '/providers/stored/{name}',
  '/keys',
  '/keys/{key_id}',
  '/incidents',
  '/incidents/{incident_id}',
  '/maintenance',
  '/deliveries/{delivery_id}',
  '/schedules/{orbiset_id}/{schedule_id}',
  '/callbacks/{subscription_id}',
  '/changes',
  '/reputation/{orb_id}',
  '/models',
  '/playground',
  '/usage',
  '/budgets',
  '/policies/-/drafts',
  '/policies/{id}',
]);
