import { expect } from 'chai';
import { startPlatform } from '../../helpers/platform.ts';
import { profileFaults } from '../../../plugins/audit/profile.ts';

const days = 183;
const names = ['policy', 'ingestion', 'subscriptions', 'observability', 'receipts'] as const;
const settingsOf = (name: string, kept: number) =>
  name === 'receipts' ? { retention: { reasons_days: kept } } : { retention_days: kept };
const plugins = (kept: number) => Object.fromEntries(names.map((name) => [name, { config: settingsOf(name, kept) }]));

describe('the profile six-months', () => {
  for (const name of names)
    it(`names the setting of ${name} that is shorter, and the floor`, () => {
      const path = name === 'receipts' ? 'retention/reasons_days' : 'retention_days';
      const short = { ...plugins(days), [name]: { config: settingsOf(name, days - 1) } };
      expect(profileFaults('six-months', short)).to.deep.equal([
        `plugins.${name}/${path}: the profile six-months needs at least 183 days, and it is 182`,
      ]);
      expect(profileFaults('six-months', { ...short, [name]: {} }).join()).to.include('its default is shorter');
      expect(profileFaults('six-months', { ...short, [name]: false })).to.deep.equal([]);
    });

  it('stops a start that keeps less, with all faults at once, and lets one go on that keeps enough', async () => {
    const audit = { config: { profile: 'six-months' } };
    const start = (more: object) => startPlatform({ platform: { plugins: { audit, ...more } } });
    const refused = await start({}).then(
      () => expect.fail('it started'),
      (error: { readonly faults?: readonly string[] }) => error.faults ?? [],
    );
    for (const name of names) expect(refused.join('\n')).to.include(`plugins.${name}/`);
    const platform = await start(plugins(days));
    await platform.stop();
  });

  it('is one of those that are known', async () => {
    const platform = { plugins: { audit: { config: { profile: 'six-weeks' } } } };
    const error: unknown = await startPlatform({ platform }).catch((thrown: unknown) => thrown);
    expect(String((error as Error).message)).to.include('profile');
  });
});
