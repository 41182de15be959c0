import type { Command, CommandCall } from '../../../../kernel/index.ts';

/** Options that name subjects; each may be given several times. */
export const scopeOptions: NonNullable<Command['options']> = [
  { flag: '--component <name>', description: 'runtime, reputation_ledger, observable_engine, ingestion', repeat: true },
  { flag: '--provider <name>', description: 'a provider', repeat: true },
  { flag: '--orb <orb_id>', description: 'an Orb, with its version', repeat: true },
];

/** Reads the subjects that were named. */
export function scopeOf(options: CommandCall['options']): readonly { readonly kind: string; readonly id: string }[] {
  return ['component', 'provider', 'orb'].flatMap((kind) => {
    const named = options[kind];
    return (Array.isArray(named) ? (named as readonly string[]) : []).map((id) => ({ kind, id }));
  });
}
