import { expect } from 'chai';
import type { Command } from '../../../kernel/index.ts';
import { shippedInstallation } from '../../helpers/command.ts';
import { keyCommands } from '../../../plugins/api-keys/commands.ts';

const [createKey, listKeys, revokeKey, listScopes] = keyCommands as readonly [Command, Command, Command, Command];

const key = {
  key_id: 'key_1',
  principal: 'prn_1',
  principal_name: 'robot',
  tenant: 'default',
  name: 'ci',
  prefix: 'orb_live_ab12…',
  scopes: ['orbs:read', 'orbs:execute'],
  mode: 'live',
  created_at: '2026-11-21T12:00:00.000Z',
};

interface Told {
  readonly requests: { method: string; path: string; body: unknown }[];
  readonly printed: { value: unknown; text: string }[];
  readonly notes: string[];
}

/** Runs a command against answers given in order. */
async function run(
  command: Command,
  answers: readonly unknown[],
  { args = [], options = {} }: { args?: readonly string[]; options?: Record<string, string | string[]> } = {},
): Promise<Told> {
  const told: Told = { requests: [], printed: [], notes: [] };
  await command.run({
    args,
    options,
    env: {},
    facts: [],
    installation: shippedInstallation(),
    stateDir: '/nowhere',
    store: () => ({ stateDir: '/nowhere' }),
    client: () => ({
      request: async <T>(method: string, path: string, body?: unknown) => {
        told.requests.push({ method, path, body });
        return answers[told.requests.length - 1] as T;
      },
      open: () => Promise.reject(new Error('not asked')),
      download: () => Promise.reject(new Error('nothing is downloaded')),
    }),
    print: (value, text) => void told.printed.push({ value, text }),
    note: (text) => void told.notes.push(text),
  });
  return told;
}

describe('api-keys/commands', () => {
  it('keys create sends what was given and nothing else, and prints the key once', async () => {
    const created = { ...key, key: 'orb_live_secret' };
    const options = { scope: ['orbs:read', 'orbs:execute'], name: 'ci', expires: '2030-01-01T00:00:00Z' };
    const { requests, printed, notes } = await run(createKey, [created], { options });
    const body = { scopes: ['orbs:read', 'orbs:execute'], name: 'ci', expires_at: '2030-01-01T00:00:00Z' };
    expect(requests).to.deep.equal([{ method: 'POST', path: '/keys', body }]);
    expect(printed[0]?.value).to.deep.equal(created);
    expect(printed[0]?.text).to.match(/^key +orb_live_secret$/m);
    expect(printed[0]?.text).to.match(/^expires +never$/m);
    expect(notes.join()).to.include('not shown again');
  });

  it('keys create passes tenant, principal and mode on', async () => {
    const options = { scope: ['*'], tenant: 'acme', principal: 'prn_1', mode: 'test' };
    const { requests } = await run(createKey, [{ ...key, key: 'x' }], { options });
    expect(requests[0]?.body).to.deep.equal({ scopes: ['*'], tenant: 'acme', principal: 'prn_1', mode: 'test' });
  });

  it('keys list follows the cursor to the last page', async () => {
    const other = { ...key, key_id: 'key_2', revoked_at: '2026-11-21T13:00:00.000Z' };
    const { requests, printed } = await run(listKeys, [{ keys: [key], next_cursor: 'a+b' }, { keys: [other] }]);
    expect(requests.map(({ path }) => path)).to.deep.equal(['/keys?limit=100', '/keys?limit=100&cursor=a%2Bb']);
    expect(printed[0]?.value).to.deep.equal({ keys: [key, other] });
    const lines = printed[0]?.text.split('\n') ?? [];
    expect(lines).to.have.length(3);
    expect(lines[1]).to.match(/^key_1 .* orbs:read orbs:execute +never +never$/);
    expect(lines[2]).to.match(/^key_2 .* revoked 2026-11-21T13:00:00.000Z$/);
  });

  it('keys scopes says which scopes the key may grant', async () => {
    const named = { narrowable: false, installation: true };
    const scopes = [
      { ...named, scope: '*', title: 'Everything', grantable: false },
      { ...named, scope: 'runs:read', title: 'Read runs', grantable: true },
    ];
    const { requests, printed } = await run(listScopes, [{ scopes }]);
    expect(requests.map(({ path }) => path)).to.deep.equal(['/keys/scopes']);
    expect(printed[0]?.text.split('\n').slice(1)).to.have.length(2);
    expect(printed[0]?.text)
      .to.match(/^\* +no +Everything$/m)
      .and.match(/^runs:read +yes +Read runs$/m);
  });

  it('keys revoke names the key in the path, escaped', async () => {
    const { requests, printed } = await run(revokeKey, [undefined], { args: ['key_1/../x'] });
    expect(requests).to.deep.equal([{ method: 'DELETE', path: '/keys/key_1%2F..%2Fx', body: undefined }]);
    expect(printed[0]?.text).to.include('is revoked');
  });
});
