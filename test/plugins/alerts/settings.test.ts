import { expect } from 'chai';
import { ConfigError } from '../../../kernel/index.ts';
import { alertsOf } from '../../../plugins/alerts/settings.ts';
import { catalogOf } from '../../../plugins/runtime/contract.ts';
import { packageDir } from '../../helpers/folder.ts';
import { startPlatform } from '../../helpers/platform.ts';
import { alertOn, mailTo } from './started.ts';

const shipped = catalogOf(packageDir);
const narrow = { id: 'narrow', tenant: 'default', orbs: ['demo.*'] };
const catalog = { ...shipped, orbisets: new Map([...shipped.orbisets, ['narrow', narrow]]) };

const faults: readonly { readonly name: string; readonly alert: object; readonly fault: string | RegExp }[] = [
  {
    name: 'an Orb that is not there',
    alert: alertOn('provider_down', { orb_id: 'notify.emial@1.0.0' }),
    fault: 'orb_id: there is no Orb notify.emial@1.0.0; did you mean notify.email@1.0.0?',
  },
  {
    name: 'an Orbiset that is not there',
    alert: alertOn('provider_down', { orbiset_id: 'ops' }),
    fault: 'orbiset_id: there is no Orbiset ops',
  },
  {
    name: 'an Orbiset without the Orb',
    alert: alertOn('provider_down', { orbiset_id: 'narrow' }),
    fault: 'orb_id: the Orbiset narrow does not admit notify.email@1.0.0; add it to `orbs` of the Orbiset',
  },
  {
    name: 'a missing input',
    alert: alertOn('provider_down', { inputs: { ...mailTo('a@example.com'), to: undefined } }),
    fault: /^inputs\.to: /,
  },
  {
    name: 'a summary where its schema takes one line of fewer characters',
    alert: alertOn('provider_down', { inputs: { ...mailTo('a@example.com'), subject: '{summary}' } }),
    fault: /^inputs\.subject: .*998/,
  },
];

describe('the settings of alerts', () => {
  for (const { name, alert, fault } of faults)
    it(`refuse ${name}, and name its place`, () => {
      const given = JSON.parse(JSON.stringify([alertOn('policy_faulty'), alert])) as never;
      let thrown: unknown;
      try {
        alertsOf({ alerts: given }, catalog);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).to.be.instanceOf(ConfigError);
      const [told, ...others] = (thrown as ConfigError).faults;
      const place = 'plugins.alerts.config.alerts[1].';
      for (const one of [told, ...others]) expect(one?.startsWith(place), one).to.equal(true);
      if (typeof fault === 'string') expect(told?.slice(place.length)).to.equal(fault);
      else expect(told?.slice(place.length)).to.match(fault);
    });

  it('that are equal are one alert with one key, others have others', () => {
    const read = alertsOf(
      { alerts: [alertOn('policy_faulty'), alertOn('policy_faulty'), alertOn('provider_down')] as never },
      catalog,
    );
    expect(read[0]?.key).to.equal(read[1]?.key);
    expect(read[2]?.key).not.to.equal(read[0]?.key);
  });

  it('with a fault stop the start', async () => {
    const start = (alert: object) =>
      startPlatform({ platform: { plugins: { alerts: { config: { alerts: [alert] } } } } }).then(
        (platform) => platform.stop(),
        (error: unknown) => String(error),
      );
    expect(await start({ ...alertOn('provider_down'), when: 'provider_lost' })).to.contain('alerts');
    expect(await start(alertOn('provider_down', { orbiset_id: 'ops' }))).to.contain('there is no Orbiset ops');
  });

  it('about what no plugin reports are named in the log, and the server starts', async () => {
    const lines: string[] = [];
    const alerts = ['incident_opened', 'approval_waiting', 'provider_down'].map((when) => alertOn(when));
    const platform = await startPlatform({
      platform: { plugins: { alerts: { config: { alerts } }, ingestion: false, approvals: false } },
      onLog: (line) => void lines.push(line),
    });
    await platform.stop();
    const told = lines.flatMap((line) => {
      const { msg, when } = JSON.parse(line) as Record<string, unknown>;
      return msg === 'no plugin that is on reports what an alert is about' ? [when] : [];
    });
    expect(told).to.deep.equal(['incident_opened', 'approval_waiting']);
  });

  it('without the plugin the server starts, and its overview has no alerts', async () => {
    const platform = await startPlatform({ platform: { plugins: { alerts: false } } });
    const { status, body } = await platform.call('GET', '/overview');
    await platform.stop();
    expect(status).to.equal(200);
    expect(body.concerns.map(({ name }: { name: string }) => name)).not.to.include('failed_alerts');
  });
});
