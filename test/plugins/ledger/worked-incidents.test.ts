import { incidentI, type Said } from './generator.ts';
import { g60, itComesTo, type Case } from './worked.ts';

const bySecond: Said = { provider: ({ day, caller }) => (day === 59 && caller > 0 ? 'b' : 'a') };
const integrity = incidentI({ integrity: true, scope: [{ kind: 'orb', id: 'orb' }] });
const resolvedHigh = incidentI({
  severity: 'high',
  state: 'resolved',
  ends_at: new Date(59 * 86_400_000 + 13 * 3_600_000).toISOString(),
  deliveries: [{ delivery_id: 'd', source_id: 's', auth_strength: 'shared_secret' }],
});

const cases: readonly Case[] = [
  {
    name: '9',
    g: g60,
    incidents: [incidentI()],
    day: 59,
    score: 72,
    raw: 94.869,
    limited: 'incidents',
    nEff: 1313.5,
    r: 0.9979,
    rows: 'bronze',
  },
  {
    name: '10',
    g: g60,
    said: bySecond,
    incidents: [incidentI()],
    day: 59,
    score: 97.2,
    raw: 98.469,
    limited: 'incidents',
    nEff: 1313.5,
    r: 0.9979,
    rows: 'bronze',
  },
  { name: '11', g: g60, incidents: [resolvedHigh], day: 73, score: 97.478, nEff: 950.5, r: 0.9972, rows: 'gold' },
  {
    name: '12',
    g: g60,
    incidents: [integrity],
    day: 59,
    score: 20,
    raw: 88.869,
    limited: 'integrity',
    nEff: 1313.5,
    r: 0.9979,
    rows: 'none',
  },
];

describe('the worked numbers of incidents', () => {
  itComesTo(cases, 'multi-tenant');
});
