/** How strongly a delivery proved its sender. */
export type AuthStrength = 'strong' | 'shared_secret' | 'url_token' | 'none';

/** One incident in the state after its entries. */
export interface Incident {
  readonly incident_id: string;
  /** Of the entry that gives the state: the highest wins. */
  readonly change_number: number;
  readonly retracted: boolean;
  readonly state: 'open' | 'acknowledged' | 'resolved';
  readonly severity: 'critical' | 'high' | 'warning' | 'info';
  readonly scope: readonly { readonly kind: 'component' | 'provider' | 'orb'; readonly id: string }[];
  readonly starts_at: string;
  readonly ends_at?: string;
  /** Opened by the auditor for a receipt that does not verify. */
  readonly integrity: boolean;
  /** Its `opened` entry had no delivery: own measurement, or an operator. */
  readonly own: boolean;
  /** A person retracted or resolved it. */
  readonly closed_by_person: boolean;
  readonly deliveries: readonly {
    readonly delivery_id: string;
    readonly source_id: string;
    readonly auth_strength: AuthStrength;
  }[];
}
