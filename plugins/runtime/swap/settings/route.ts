import { defineRoute, exactly, program, type Config, type PluginScope, type Route } from '../../../../kernel/index.ts';
import { settingSchema, settingsInUse, type SettingsSource } from './effective.ts';

/** The dependencies of the route. */
export interface SettingsRouteOptions extends Pick<PluginScope<unknown, never>, 'platform'> {
  readonly config: Config;
  /** Reads what may have changed since the start. */
  readonly now: () => Pick<SettingsSource, 'reloaded' | 'providers' | 'orders' | 'bindings'>;
}

/** Schema of the configuration in use. */
export const configurationSchema = exactly('ConfigurationInUse', {
  node: { type: 'string', description: 'The node that answered' },
  file: { type: 'string', description: 'Name of the file of settings' },
  settings: { type: 'array', items: settingSchema, description: 'The settings, by their parts' },
});

/** Answers `GET /config`: the configuration in use of the node that answers, and where each value comes from. */
export function settingsRoute({ config, now, platform }: SettingsRouteOptions): Route {
  return defineRoute({
    method: 'GET',
    path: '/config',
    operationId: 'getConfig',
    service: 'runtime',
    scope: 'config:read',
    summary: 'Show the configuration in use and where each value comes from, without secrets',
    response: configurationSchema,
    handle() {
      const node = platform.node.name;
      const settings = settingsInUse({ config, ...now(), description: platform.describe(), node });
      return { node, file: program.platformFile(config.home).shown, settings: [...settings] };
    },
  });
}
