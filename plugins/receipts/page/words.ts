import type { CheckName, Overall, Result } from '../verifier/report.ts';

/** The meaning of each overall word for the reader. */
export const overallMeaning: Readonly<Record<Overall, string>> = {
  VERIFIED: 'It was signed by a key trusted here, is in the log, and nothing in the file was changed since.',
  'VERIFIED-WITH-LIMITS': 'All checks that could run passed. Some checks could not run:',
  REJECTED: 'Do not rely on this file: a check failed, or a required check could not run.',
  'NOTHING-TO-VERIFY': 'The file contains no signed content.',
};

/** Words for the result of one check. */
export const resultWords: Readonly<Record<Result, string>> = { pass: 'Pass', fail: 'Fail', not_checked: 'Not checked' };

/** The meaning of each verdict, in plain words. */
export const meanings: Readonly<Record<CheckName, string>> = {
  envelope: 'The signature matches the content',
  key_trusted: 'A trusted key signed it',
  statement_schema: 'The content is well-formed',
  readable_copy_matches: 'The readable copy matches the signed content',
  score_recomputes: 'The score matches the facts',
  leaf_matches_envelope: 'The log entry belongs to this receipt',
  inclusion: 'The receipt is in the log',
  checkpoint_signature: 'The log signed its checkpoint',
  key_status_at_index: 'The key was valid at this log position',
  witness_quorum: 'Enough witnesses signed the checkpoint',
  freshness: 'The checkpoint is recent',
  consistency_with_last_seen: 'The log has only grown',
  orbiset_chain: 'No receipt of the chain is missing',
  completeness: 'The log is complete',
  disclosure_matches_commitment: 'The disclosed values match the receipt',
  approval_matches: 'The decisions of the people who were asked are about exactly this run',
  in_this_log: 'The log of this server contains it',
};

/** Names of the values that are shown. */
export const valueNames: Readonly<Record<string, string>> = {
  kind: 'Kind',
  receipt_id: 'Receipt',
  kid: 'Signed by key',
  installation: 'Installation',
  origin: 'Log',
  run_id: 'Run',
  tenant: 'Tenant',
  orbiset_id: 'Orbiset',
  orb_id: 'Orb',
  mode: 'Mode',
  status: 'Status',
  sequence: 'Number in the Orbiset',
  trust_score: 'Trust score',
  risk_level: 'Risk level',
  timestamp: 'Time',
};
