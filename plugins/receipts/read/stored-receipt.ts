/** A receipt as stored: the payload, its signature, and copies of its members for reading. */
export interface StoredReceipt {
  readonly receipt_id: string;
  readonly kind: string;
  readonly run_id: string | null;
  /** Null: the installation's own. */
  readonly tenant: string | null;
  readonly orbiset_id: string | null;
  readonly orb_id: string | null;
  readonly status: string | null;
  readonly origin: string;
  /** Null: in no chain. */
  readonly sequence: number | null;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly kid: string;
  readonly digest: string;
  readonly timestamp: string;
  readonly trust_score: number | null;
  readonly risk_level: string | null;
  /** Row of its log, and its index in that log. */
  readonly log: number;
  readonly idx: number;
}
