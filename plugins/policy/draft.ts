/** A draft: a policy file that is not active. */
export interface Draft {
  readonly id: string;
  readonly source: string;
  readonly tests?: string;
  readonly message?: string;
  readonly updated_at: string;
  readonly updated_by: string;
}
