import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';

/** Who calls, by what the key may do. */
export type CallerName = 'admin' | 'manager' | 'sender' | 'acme' | 'reader' | 'tester';

/** A platform with callers of several rights; all of the tenant `default` but `acme`. */
export interface Callers extends Pick<TestPlatform, 'call' | 'stop' | 'url'> {
  readonly keys: Readonly<Record<CallerName, string>>;
  /** Makes a key (by the admin unless said) and answers the body; fails unless that is a 201. */
  create(body: object, by?: CallerName): Promise<Record<string, string>>;
}

/** Starts a platform and makes the callers' keys. */
export async function startCallers(): Promise<Callers> {
  const { call, stop, key, adminKey, url } = await startPlatform();
  const keys = {
    admin: adminKey,
    manager: await key({ name: 'manager', scopes: ['keys:manage', 'orbs:read', 'metrics:read'] }),
    sender: await key({ name: 'sender', scopes: ['keys:manage', 'orbs:execute:notify.*'] }),
    acme: await key({ name: 'acme manager', tenant: 'acme', scopes: ['keys:manage', 'orbs:read'] }),
    reader: await key({ name: 'reader', scopes: ['orbs:read'] }),
    tester: await key({ name: 'tester', mode: 'test', scopes: ['*'] }),
  };
  return {
    call,
    stop,
    url,
    keys,
    async create(body, by = 'admin') {
      const answer = await call('POST', '/keys', body, keys[by]);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return answer.body as Record<string, string>;
    },
  };
}

/** Expects an answer to be a problem, its detail to say something. */
export function expectProblem(answer: Answer, status: number, code: string, detail = ''): void {
  expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
  expect(answer.body).to.include({ code });
  expect((answer.body as { detail?: string }).detail ?? '').to.include(detail);
}
