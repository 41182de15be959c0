import { defineRoute, PlatformError, reply, type Brand, type Route } from '../../../kernel/index.ts';
import type { Pages } from '../../pages/contract.ts';
import { createStyle, partAsset, scriptAsset, sendAsset } from './assets.ts';
import { createShell } from './shell.ts';

const shared = { method: 'GET', service: 'runtime', whole: true, public: true, anyQuery: true } as const;

/** Makes the routes of the application's own files: its document at every address below `/console`, script and style. */
export function appRoutes(brand: Brand, pages: Pages): readonly Route[] {
  const shell = createShell(brand, pages.notice);
  return [
    defineRoute({
      ...shared,
      path: '/console',
      operationId: 'showConsole',
      summary: 'Operate this installation in a browser (a page)',
      produces: 'text/html',
      navigation: {
        name: 'Console',
        position: 60,
        about: 'Browse runs, try Orbs, manage providers, policies and keys',
        command: 'orb console open',
      },
      handle: shell,
    }),
    ...deepLinks.map((link) => deepLink(link, shell)),
    ...files(pages),
  ];
}

const deepLinks = [
  ['/console/{screen}', 'showConsoleScreen'],
  ['/console/{screen}/{item}', 'showConsoleItem'],
  ['/console/{screen}/{item}/{part}', 'showConsolePart'],
] as const;
const names = ['screen', 'item', 'part'] as const;

function deepLink([path, operationId]: (typeof deepLinks)[number], shell: ReturnType<typeof createShell>): Route {
  const given = names.filter((name) => path.includes(`{${name}}`));
  return defineRoute({
    ...shared,
    path,
    operationId,
    summary: 'Open a screen of the console (a page)',
    produces: 'text/html',
    params: {
      type: 'object',
      required: given,
      properties: Object.fromEntries(
        given.map((name) => [
          name,
          { type: 'string', maxLength: 300, description: 'Path of the screen in the console' } as const,
        ]),
      ),
    },
    handle: shell,
  });
}

const css = 'text/css; charset=utf-8';
const file = { ...shared, conditional: true } as const;

const partRoute = defineRoute({
  ...file,
  path: '/console/app/{part}',
  operationId: 'getConsolePart',
  summary: 'Get a part of the script of the console, for the screens of one area',
  produces: 'text/javascript',
  params: {
    type: 'object',
    required: ['part'],
    properties: { part: { type: 'string', maxLength: 100, description: 'Name of the part, with its digest' } },
  },
  problems: ['route_not_found'],
  handle: async (call) => {
    const part = await partAsset(call.params.part);
    if (part === undefined)
      throw new PlatformError('route_not_found', 'this version of the console has no such part; load the page again');
    return sendAsset(part, 'text/javascript; charset=utf-8', call);
  },
});

function files({ accent, style }: Pages): readonly Route[] {
  const styleAsset = createStyle(style);
  return [
    defineRoute({
      ...file,
      path: '/console/app.js',
      operationId: 'getConsoleScript',
      summary: 'Get the script of the console',
      produces: 'text/javascript',
      handle: (call) => sendAsset(scriptAsset, 'text/javascript; charset=utf-8', call),
    }),
    partRoute,
    defineRoute({
      ...file,
      path: '/console/app.css',
      operationId: 'getConsoleStyle',
      summary: 'Get the stylesheet of the console',
      produces: 'text/css',
      handle: (call) => sendAsset(styleAsset, css, call),
    }),
    defineRoute({
      ...shared,
      path: '/console/theme.css',
      operationId: 'getConsoleTheme',
      summary: 'Get the colors that the operator chose for the console',
      produces: 'text/css',
      handle: () => reply({ type: css, headers: { 'Cache-Control': 'no-cache' }, body: accent }),
    }),
  ];
}
