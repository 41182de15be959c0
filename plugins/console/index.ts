import { definePlugin } from '../../kernel/index.ts';
import { appRoutes } from './serve/routes.ts';

/** Serves the console: an application for people in a browser, which calls the public API and nothing else. */
export default definePlugin({
  name: 'console',
  start({ log, wholeUrl }) {
    if (wholeUrl === undefined) {
      log.info({}, 'the console is not served: no address has all services and is reached by TLS or on loopback');
      return {};
    }
    return { routes: appRoutes() };
  },
});
