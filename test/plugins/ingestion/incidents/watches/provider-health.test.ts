import { expect } from 'chai';
import type { IncidentView } from '../../../../../plugins/ingestion/contract.ts';
import { reportProviders } from '../../../../../plugins/ingestion/incidents/watches/provider-health.ts';

/** An open incident, in short: id, impact and subjects as `<kind> <id>`. */
const incident = (incident_id: string, impact: IncidentView['impact'], ...subjects: readonly string[]): IncidentView =>
  ({
    ...{ incident_id, impact },
    scope: subjects.map((subject) => ({ kind: subject.split(' ')[0], id: subject.split(' ')[1] })),
  }) as unknown as IncidentView;

/** Reports after each of several times; a provider named `broken` cannot be reported. */
function reported(...times: readonly (readonly IncidentView[])[]): readonly (readonly string[])[] {
  let open: readonly IncidentView[] = [];
  let said: string[] = [];
  const platform = {
    reportProvider: (name: string, health: string, reason: string): void => {
      if (name === 'broken') throw new Error('there is none');
      said.push(`${name} ${health}: ${reason}`);
    },
  };
  const log = { error: ({ provider }: { provider: string }) => said.push(`not ${provider}`) };
  const report = reportProviders(platform, { open: () => open }, log);
  return times.map((now) => {
    [open, said] = [now, []];
    report();
    return said;
  });
}

describe('the health of providers under incidents', () => {
  const down = incident('inc_1', 'major_outage', 'provider a');
  const rows: readonly (readonly [string, readonly (readonly IncidentView[])[], readonly (readonly string[])[]])[] = [
    ['is down in a major outage', [[down]], [['a down: incident inc_1']]],
    [
      'is degraded in any other',
      [[incident('inc_1', 'partial_outage', 'provider a')]],
      [['a degraded: incident inc_1']],
    ],
    ['is not changed by what has no impact', [[incident('inc_1', 'none', 'provider a')]], [[]]],
    ['is not that of other subjects', [[incident('inc_1', 'major_outage', 'orb a', 'component b')]], [[]]],
    [
      'is that of every provider',
      [[incident('inc_1', 'major_outage', 'provider a', 'provider b')]],
      [['a down: incident inc_1', 'b down: incident inc_1']],
    ],
    [
      'is the worst, by the first incident that is as bad',
      [
        [
          incident('inc_0', 'degraded_performance', 'provider a'),
          down,
          incident('inc_2', 'major_outage', 'provider a'),
          incident('inc_3', 'partial_outage', 'provider a'),
        ],
      ],
      [['a down: incident inc_1']],
    ],
    [
      'is told once, and taken back once',
      [[down], [down], [], []],
      [['a down: incident inc_1'], [], ['a up: incidents_over'], []],
    ],
    [
      'is told again when it comes again',
      [[down], [], [down]],
      [['a down: incident inc_1'], ['a up: incidents_over'], ['a down: incident inc_1']],
    ],
    [
      'is told of the others when one cannot be told',
      [[incident('inc_1', 'major_outage', 'provider broken', 'provider a')]],
      [['not broken', 'a down: incident inc_1']],
    ],
  ];
  for (const [name, times, expected] of rows)
    it(name, () => {
      expect(reported(...times)).to.deep.equal(expected);
    });
});
