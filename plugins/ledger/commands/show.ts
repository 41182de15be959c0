import type { Answered } from '../../../kernel/index.ts';
import { apiCommand } from '../../terminal/contract.ts';
import type { orbProfile } from '../routes/schemas.ts';

type Profile = Answered<typeof orbProfile>;

/** `orb reputation show`: shows an Orb's score, its components, and what the next tier needs. */
export const showReputation = apiCommand<Profile>({
  path: 'reputation show',
  summary: 'show the score and tier of an Orb, why, and what the next tier needs',
  args: [{ name: 'orb_id', description: 'for example notify.email@1.0.0' }],
  route: 'GET /reputation/{orb_id}',
  show: (profile) => [...head(profile), ...parts(profile), ...next(profile)].join('\n'),
});

/** `orb certificate get <orb_id>`: prints the newest certificate of an Orb; save it, and verify it offline. */
export const getCertificate = apiCommand({
  path: 'certificate get',
  summary: 'print the newest certificate of an Orb, whatever its status, as JSON',
  args: [{ name: 'orb_id', description: '`notify.email@1.0.0`' }],
  options: [{ flag: '--format <form>', description: 'vc: only the Verifiable Credential', default: 'json' }],
  route: 'GET /reputation/{orb_id}/certificate',
  show: (answer) => JSON.stringify(answer, undefined, 2),
});

function head(profile: Profile): string[] {
  const { orb_id, score_exact, status, certification_tier, limited_by, evidence } = profile;
  const causes = profile.suspension_causes?.join(', ');
  return [
    `${orb_id}: ${score_exact ?? 'no score'}, ${status}, tier ${certification_tier}`,
    ...(causes === undefined ? [] : [`suspended: ${causes}; ${profile.suspended_tier ?? 'no tier'} returns after it`]),
    ...(limited_by === undefined ? [] : [`limited by ${limited_by}`]),
    `${evidence.effective_runs} effective runs by ${evidence.effective_callers} effective callers (${evidence.callers}) on ${evidence.active_days} days`,
  ];
}

function parts({ components }: Profile): string[] {
  return components.map(
    ({ name, points, weight, reason }) =>
      `  ${name.padEnd(12)} ${points.toFixed(1).padStart(5)} of ${String(weight).padStart(2)}  ${reason}`,
  );
}

function next({ next_tier }: Profile): string[] {
  if (next_tier === undefined) return [];
  const missing = next_tier.unmet.map(({ gate, needed, present }) => `  ${gate}: needs ${needed}, is ${present}`);
  return [
    `next: ${next_tier.tier}${missing.length === 0 ? ' (all requirements are met; it needs several snapshots in a row)' : ''}`,
    ...missing,
  ];
}
