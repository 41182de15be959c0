/** A source of webhooks; its secrets without their texts. */
export interface Source {
  readonly source_id: string;
  readonly name: string;
  readonly vendor: string;
  readonly auth: { readonly scheme: string };
  readonly may_name: Subjects;
  readonly paused: boolean;
  readonly created_at: string;
  readonly secrets: readonly {
    readonly version: number;
    readonly created_at: string;
    readonly not_after?: string;
    readonly last_used_at?: string;
  }[];
}

/** What the deliveries of a source may name. */
export interface Subjects {
  readonly orbs?: readonly string[];
  readonly providers?: readonly string[];
  readonly components?: readonly string[];
}

/** What to enter at a vendor. */
export interface Setup {
  readonly vendor: string;
  readonly url: string;
  readonly steps: readonly string[];
  readonly snippets: readonly { readonly title: string; readonly language: string; readonly text: string }[];
}

/** How a source is. */
export interface SourceHealth {
  readonly status: 'unused' | 'ok' | 'stale' | 'failing' | 'paused';
  readonly last_delivery_at?: string;
  readonly queued: number;
  readonly dead: number;
  readonly rejected: { readonly count: number };
}

/** A delivery of a source. */
export interface Delivery {
  readonly delivery_id: string;
  readonly source_id: string;
  readonly vendor: string;
  readonly received_at: string;
  readonly duplicates?: number;
  readonly size?: number;
  readonly digest: string;
  readonly auth_strength: string;
  readonly auth_scheme: string;
  readonly test?: boolean;
  readonly state: 'queued' | 'done' | 'ignored' | 'dead';
  readonly reason?: string;
  readonly signals?: number;
}

/** The secrets and the address of a source, in the one answer that shows them. */
export interface ShownOnce {
  readonly url?: string;
  readonly secret?: string;
  readonly setup?: Setup;
}
