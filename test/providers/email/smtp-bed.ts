import { expect } from 'chai';
import { compile } from '../../../kernel/index.ts';
import { ProviderError, type ProviderHandle } from '../../../kernel/adapter.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import smtp from '../../../providers/email/smtp.ts';
import { testKey } from '../../helpers/conformance.ts';
import { startSmtp, type SmtpOptions, type SmtpReceiver } from '../../helpers/smtp.ts';

/** Inputs of a good e-mail. */
export const inputs = {
  to: 'ada@example.org',
  from_address: 'Orb <orb@example.com>',
  subject: 'Hi',
  body: 'Hello\n.\nAda',
};

/** A login as the adapter is given it. */
export const auth = { user: 'orb', password: 'correct horse battery' };

/** The same login as the server knows it. */
export const serverAuth = { user: auth.user, pass: auth.password };

/** Settings for a server without TLS on loopback. */
export const plain = { host: '127.0.0.1', starttls: 'never' } as const;

/** A signal that never aborts. */
export const noSignal = (): AbortSignal => new AbortController().signal;

/** Servers and opened adapters of one suite; all are closed after each test. */
export interface Bed {
  start(options?: SmtpOptions): Promise<SmtpReceiver>;
  open(config: object): Promise<ProviderHandle>;
}

/** Declares, inside a `describe`, the cleaning up after each test. */
export function createBed(): Bed {
  const servers: SmtpReceiver[] = [];
  const handles: ProviderHandle[] = [];
  afterEach(async () => {
    for (const handle of handles.splice(0)) await handle.close?.();
    for (const server of servers.splice(0)) await server.close();
  });
  return {
    async start(options = {}) {
      const server = await startSmtp(options);
      servers.push(server);
      return server;
    },
    async open(config) {
      const filled = structuredClone(config);
      expect(compile(smtp.config)(filled)).to.deep.equal([]);
      const scope = { config: filled as never, signal: noSignal(), stateDir: '/nowhere', log: silentLog };
      const handle = await smtp.open(scope);
      handles.push(handle);
      return handle;
    },
  };
}

/** Sends the good e-mail with changes, under a key of its own name. */
export async function send(
  handle: ProviderHandle,
  { given = {}, signal = noSignal(), key = 's' }: { given?: object; signal?: AbortSignal; key?: string } = {},
): Promise<Record<string, unknown>> {
  return handle.execute({ ...inputs, ...given }, { signal, idempotency_key: testKey(key), log: silentLog });
}

/** Answers the ProviderError a call ends with; fails the test when it ends otherwise. */
export async function failure(call: Promise<unknown> | undefined): Promise<ProviderError> {
  const result = await call?.catch((error: unknown) => error);
  if (result instanceof ProviderError) return result;
  return expect.fail(`no ProviderError: ${String(result)} ${JSON.stringify(result)}`);
}
