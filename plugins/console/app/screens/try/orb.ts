import type { FormSchema } from '../../parts/form.ts';

/** An Orb as the list shows it. */
export interface ListedOrb {
  readonly orb_id: string;
  readonly title: string;
}

/** An Orb with what is to be known before it is run. */
export interface OrbDetail {
  readonly manifest: {
    readonly orb_id: string;
    readonly title: string;
    readonly description: string;
    readonly effect: 'none' | 'idempotent' | 'reversible' | 'irreversible';
    readonly inputs_schema: FormSchema;
  };
}

/** What a run would meet. */
export interface Preview {
  readonly mode: 'live' | 'sandbox';
  readonly effect: string;
  readonly providers: readonly { readonly name: string; readonly adapter: string; readonly health: string }[];
  readonly decision: 'allow' | 'deny' | 'undecided';
  readonly reasons: readonly { readonly code: string; readonly policy?: string; readonly message?: string }[];
  readonly policies: readonly string[];
  readonly warns: number;
  readonly shadow_denies: number;
}

/** The answer of a run that completed, or waits. */
export interface RunAnswer {
  readonly run_id: string;
  readonly status: string;
  readonly outputs?: object;
  readonly execution_ms?: number;
  readonly receipt?: {
    readonly receipt_id: string;
    readonly trust_score: number;
    readonly risk_level: string;
    readonly signature_valid: boolean;
  };
}

/** Says whether fields can be made of a schema; else its inputs are typed as JSON. */
export const hasFields = ({ type, properties }: FormSchema): boolean => type === 'object' && properties !== undefined;
