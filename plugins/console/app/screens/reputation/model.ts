/** One part of a score. */
export interface Component {
  readonly name: string;
  readonly weight: number;
  readonly value: number;
  readonly points: number;
  readonly reason: string;
}

/** A condition of the next tier that is not met. */
export interface Unmet {
  readonly gate: string;
  readonly needed: string;
  readonly present: string;
  readonly detail: string;
}

/** An incident that weighs on a score. */
export interface Debt {
  readonly severity: string;
  readonly state: string;
  readonly opened_day: string;
  readonly debt_milli: number;
  readonly incident_id?: string;
}

/** The reputation of an Orb, explained. */
export interface Reputation {
  readonly orb_id: string;
  readonly reputation_score: number | null;
  readonly score_exact: number | null;
  readonly status: 'suspended' | 'unscored' | 'provisional' | 'scored';
  readonly certification_tier: string;
  readonly suspended_tier?: string;
  readonly suspension_causes?: readonly string[];
  readonly tier_since?: string;
  readonly limited_by?: string;
  readonly components: readonly Component[];
  readonly evidence: {
    readonly window_start: string;
    readonly window_end: string;
    readonly runs_counted: number;
    readonly callers?: number;
    readonly active_days?: number;
    readonly excluded: Readonly<Record<string, number>>;
  };
  readonly next_tier?: { readonly tier: string; readonly unmet: readonly Unmet[] };
  readonly incidents?: {
    readonly open: readonly Debt[];
    readonly decaying: readonly Debt[];
    readonly debt_milli: number;
  };
  readonly manifest_signed?: boolean;
}

/** One day of the past. */
export interface Day {
  readonly day: string;
  readonly reputation_score: number | null;
  readonly score_exact: number | null;
  readonly status: string;
  readonly certification_tier: string;
  readonly limited_by?: string;
}

/** Days and changes of tier of an Orb. */
export interface History {
  readonly days: readonly Day[];
  readonly events: readonly {
    readonly day: string;
    readonly change: string;
    readonly from: string;
    readonly to: string;
    readonly rules: readonly string[];
    readonly actor: string;
  }[];
}

/** A published version. */
export interface Listing {
  readonly orb_id: string;
  readonly namespace: string;
  readonly title: string;
  readonly description: string;
  readonly certification_tier: string;
  readonly reputation_score: number | null;
  readonly standing: string;
  readonly provisional: boolean;
  readonly status: 'active' | 'deprecated' | 'yanked' | 'removed';
  readonly status_message?: string;
  readonly latest: boolean;
  readonly published_at: string;
  readonly usage: { readonly runs_30d: number; readonly callers_30d: number };
}

/** An Orb of this installation. */
export interface Orb {
  readonly orb_id: string;
  readonly title: string;
  readonly description: string;
}

/** A namespace and who may publish in it. */
export interface Namespace {
  readonly namespace: string;
  readonly state: 'granted' | 'revoked';
  readonly owner: { readonly tenant: string; readonly principal?: string };
  readonly manifest_key?: object;
  readonly at: string;
  readonly reason?: string;
}
