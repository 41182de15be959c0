import { expect } from 'chai';
import { definePlugin } from '../../../kernel/index.ts';
import type { Plugin } from '../../../kernel/plugin.ts';
import { approvals, type Approvals } from '../../../plugins/approvals/contract.ts';
import { startPlatform } from '../../helpers/platform.ts';

const members = ['prn_01M8FAMKDW8EACJ6XYYH95MPC3', 'prn_01M8FAMM1Q2G38RASKEJSD4XFB'];

function reading(): { readonly plugin: Plugin; found?: Approvals } {
  const seen: { plugin: Plugin; found?: Approvals } = {
    plugin: definePlugin({
      name: 'reader',
      uses: { approvals },
      start({ services }) {
        if (services.approvals !== undefined) seen.found = services.approvals;
        return {};
      },
    }),
  };
  return seen;
}

describe('the groups of people who may approve', () => {
  const start = async (config: object | false): Promise<Approvals | undefined> => {
    const seen = reading();
    const settings = config === false ? false : { config };
    const platform = await startPlatform({ platform: { plugins: { approvals: settings } }, plugins: [seen.plugin] });
    await platform.stop();
    return seen.found;
  };

  it('are a list of people, or one with its settings', async () => {
    const found = await start({ groups: { office: members, finance: { members, links: true } }, open_per_group: 7 });
    expect(Object.fromEntries(found?.groups() ?? [])).to.deep.equal({
      office: { members, links: false },
      finance: { members, links: true },
    });
    expect(found?.open_per_group).to.equal(7);
  });

  it('are none without settings, and there is no service without the plugin', async () => {
    const found = await start({});
    expect([...(found?.groups() ?? ['none'])]).to.deep.equal([]);
    expect(found?.open_per_group).to.equal(50);
    expect(await start(false)).to.equal(undefined);
  });

  const wrong: readonly (readonly [name: string, config: object])[] = [
    ['an empty group', { groups: { office: [] } }],
    ['an empty group with settings', { groups: { office: { members: [] } } }],
    ['a group without people', { groups: { office: { links: true } } }],
    ['a member that is no principal', { groups: { office: ['ada'] } }],
    ['a member that is a key', { groups: { office: ['key_01M8FAMKDW8EACJ6XYYH95MPC3'] } }],
    ['a person twice', { groups: { office: [members[0], members[0]] } }],
    ['a name with capitals', { groups: { Office: members } }],
    ['a name that is too long', { groups: { ['o'.repeat(33)]: members } }],
    ['a setting that is unknown', { groups: { office: { members, silence: 'allow' } } }],
    ['no open runs', { open_per_group: 0 }],
  ];
  for (const [name, config] of wrong)
    it(`are not ${name}: the server does not start`, async () => {
      const error = await start(config).catch((caught: unknown) => caught);
      expect(String(error)).to.contain('plugins.approvals');
    });
});
