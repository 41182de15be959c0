import type { Phase } from '../../contract.ts';

/** What a person wrote on an incident. */
export interface Note {
  /** `sig_<ulid>`: sorts by time. */
  readonly note_id: string;
  readonly incident_id: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly principal: string;
  readonly text: string;
  /** For everybody, on /status. */
  readonly public: boolean;
  /** Where the work stands, of a public one. */
  readonly phase?: Exclude<Phase, 'resolved'>;
}
