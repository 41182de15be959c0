import type { PluginScope, Route } from '../../../../kernel/index.ts';
import { reloadPreviewRoute } from '../reload-preview.ts';
import { reloadRoute, type ReloadRouteOptions } from '../reload-route.ts';
import { settingsRoute } from './route.ts';

/** The dependencies of the routes. */
export interface ConfigRoutesOptions
  extends Omit<ReloadRouteOptions, 'reloaded'>, Pick<PluginScope<unknown, never>, 'platform'> {}

/** Makes the routes of the configuration: what is in use, what a reload would change, and the reload. */
export function configRoutes(options: ConfigRoutesOptions): readonly Route[] {
  const { bindings, config, configured } = options;
  let reloaded = config;
  const reloading = { ...options, reloaded: (next: typeof config) => void (reloaded = next) };
  const now = () => {
    const { order: orders, providers } = configured();
    return { reloaded, providers, orders, bindings: bindings.all() };
  };
  return [reloadRoute(reloading), reloadPreviewRoute(reloading), settingsRoute({ ...options, now })];
}
