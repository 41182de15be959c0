import { definePlugin, grouped } from '../../kernel/index.ts';
import { credential } from '../runtime/contract.ts';
import { keyNames } from '../api-keys/contract.ts';
import { pages } from '../pages/contract.ts';
import { consoleCommands } from './commands.ts';
import { problems } from './problems.ts';
import { appRoutes } from './serve/routes.ts';
import { sessionRoutes } from './session/routes.ts';
import { Sessions } from './session/sessions.ts';
import consoleStore from './store.ts';

/** Serves the console: an application for people in a browser, which calls the public API and nothing else. */
export default definePlugin({
  name: 'console',
  problems,
  uses: { credential, keyNames, pages },
  commands: grouped([{ name: 'console', task: 'operate', summary: 'sign in to the console' }], consoleCommands),
  store: consoleStore,
  start({ brand, clock, hooks, log, scopes, services, store, wholeUrl: url }) {
    if (url === undefined) {
      log.info(
        {},
        'the console is not available: it needs a listener that serves all services and is reached by TLS or on loopback',
      );
      return {};
    }
    const find = services.credential;
    if (find === undefined) {
      log.info(
        {},
        'the console is not available: no plugin can authenticate its sessions; enable the plugin `api-keys`',
      );
      return {};
    }
    const site = services.pages;
    if (site === undefined) {
      log.info({}, 'the console is not available: it has the style of the plugin `pages`; enable it');
      return {};
    }
    const sessions = new Sessions({ store, reads: store.reads(consoleStore), credential: find, clock, log });
    hooks.authenticate.tap('console', ({ token, cookie, watching = false }) =>
      cookie === true ? sessions.authenticate(token, { watching }) : undefined,
    );
    hooks.explainCredential.tap('console', ({ token, cookie }) =>
      cookie === true ? sessions.explain(token) : undefined,
    );
    hooks.ready.tap('console', () => sessions.start());
    const nameOf = services.keyNames ?? (() => undefined);
    return {
      routes: [...appRoutes(brand, site), ...sessionRoutes({ sessions, url, nameOf, scopes })],
      stop: () => sessions.stop(),
    };
  },
});
