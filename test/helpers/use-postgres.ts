import { need } from './needs.ts';
import { startPostgres } from './postgres.ts';
import type { PostgresServer, PostgresSettings } from './postgres.ts';

/** Leaves the tests of a `before` hook's `describe` out where there is no PostgreSQL. */
export function needPostgres(context: Mocha.Context): void {
  need(context, 'postgresql');
}

/**
 * Gives the tests of a `describe` a server of their own, from its first hook to after its last. Where there is no
 * PostgreSQL they are left out, and say so.
 */
export function usePostgres(settings: PostgresSettings = {}): PostgresServer {
  let server: PostgresServer | undefined;
  before('start PostgreSQL', async function () {
    needPostgres(this);
    const started = await startPostgres(settings);
    server = started;
    // Added now, so that it is the last: the other hooks close what uses the server.
    this.test?.parent?.afterAll('stop PostgreSQL', () => started.stop());
  });
  return new Proxy({} as PostgresServer, {
    get(_, name) {
      if (server === undefined) throw new Error('PostgreSQL is not started yet: a hook or a test may use it');
      return Reflect.get(server, name) as unknown;
    },
  });
}
