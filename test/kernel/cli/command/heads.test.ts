import { expect } from 'chai';
import type { Command } from '../../../../kernel/index.ts';
import { createClient } from '../../../../kernel/cli/command/client.ts';
import { shippedCommands } from '../../../../kernel/main.ts';
import { runCommand } from '../../../helpers/command.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

describe('each command that lists', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
    const { call } = platform;
    const created = [
      call('POST', '/incidents', { title: 'slow', severity: 'high', scope: [{ kind: 'component', id: 'ingestion' }] }),
      call('POST', '/maintenance', {
        ...{ title: 'moving', scope: [{ kind: 'component', id: 'ingestion' }] },
        ...{ starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-01T01:00:00Z' },
      }),
      call('POST', '/orbisets/default/execute', { orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } }),
    ];
    for (const { body, status } of await Promise.all(created))
      expect(status, JSON.stringify(body)).to.be.within(200, 201);
  });
  after(() => platform.stop());

  const printed = async ({ path }: Pick<Command, 'path'>, args: readonly string[]): Promise<readonly string[]> => {
    const command = shippedCommands().find((one) => one.path === path) ?? expect.fail(path);
    const client = createClient({ ORB_URL: platform.url, ORB_KEY: platform.adminKey }, platform.stateDir);
    const { text } = await runCommand(command, platform.stateDir, args, {
      client: () => client,
      options: { limit: '5' },
    });
    return text.split('\n');
  };

  const head = /^[A-Z][A-Z_ ]*( {2,}[A-Z][A-Z_ ]*)+$/;
  const lists = shippedCommands().filter(
    ({ args = [], summary }) => summary.startsWith('list ') && args.every(({ name }) => name === 'orbiset'),
  );

  it('has a head, or says that there is nothing', async () => {
    expect(lists.length).to.be.greaterThan(12);
    for (const { args = [], path } of lists) {
      const [first = '', ...rows] = await printed({ path }, args.length === 0 ? [] : ['default']);
      if (rows.length > 0) expect(first, path).to.match(head);
      else expect(first, path).to.equal('none');
    }
  });

  for (const [path, wanted] of [
    ['incidents list', /^INCIDENT_ID +STATE +SEVERITY +STARTED +ENDED +AFFECTS +TITLE$/],
    ['maintenance list', /^MAINTENANCE_ID +STARTS +ENDS +AFFECTS +TITLE$/],
    ['signing-keys list', /^KID +ROLE +STATUS +CREATED +LOG$/],
    ['namespaces list', /^NAMESPACE +STATE +TENANT +PRINCIPAL +MANIFEST KEY$/],
    ['keys list', /^KEY_ID +PREFIX +NAME +TENANT +PRINCIPAL +SCOPES +LAST USED +EXPIRES$/],
  ] as const)
    it(`${path} names its columns`, async () => {
      const lines = await printed({ path }, []);
      expect(lines[0]).to.match(wanted);
      expect(lines).to.have.length.greaterThan(1);
    });

  it('providers status names its columns below the Orb', async () => {
    const lines = await printed({ path: 'providers status' }, ['demo.echo@1.0.0']);
    expect(lines[1]).to.match(/^PROVIDER +ROLE +ADAPTER +HEALTH +GENERATION +IN FLIGHT$/);
    expect(lines[2]).to.match(/^\S+ +active +echo\/local +\w+ +\d+ +0$/);
  });
});
