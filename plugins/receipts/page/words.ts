import type { CheckName, Overall, Result } from '../verifier/report.ts';

/** The meaning of each overall word for the reader. */
export const overallMeaning: Readonly<Record<Overall, string>> = {
  VERIFIED: 'It was signed by a key trusted here, is in the log, and nothing in the file was changed since.',
  'VERIFIED-WITH-LIMITS': 'What was checked holds. Not everything could be checked:',
  REJECTED: 'Do not rely on this file: a check failed, or one that is required could not be made.',
  'NOTHING-TO-VERIFY': 'The file holds nothing that was signed.',
};

/** Words for the result of one check. */
export const resultWords: Readonly<Record<Result, string>> = {
  pass: 'Pass',
  fail: 'Fail',
  not_checked: 'Not checked',
};

/** The meaning of each verdict, in plain words. */
export const meanings: Readonly<Record<CheckName, string>> = {
  envelope: 'The signature fits the content',
  key_trusted: 'A trusted key signed it',
  statement_schema: 'The content is well-formed',
  readable_copy_matches: 'The readable part is what was signed',
  score_recomputes: 'The facts yield the score',
  leaf_matches_envelope: 'The entry of the log is this receipt’s',
  inclusion: 'The receipt is in the log',
  checkpoint_signature: 'The log signed its state',
  key_status_at_index: 'The key was valid at that place',
  witness_quorum: 'Witnesses have seen the log',
  freshness: 'The state of the log is recent',
  consistency_with_last_seen: 'The log has only grown',
  orbiset_chain: 'No receipt of the chain is missing',
  completeness: 'All of the log is here',
  disclosure_matches_commitment: 'The shown contents are those committed to',
  in_this_log: 'The log of this server holds it',
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
  sequence: 'Place in the Orbiset',
  trust_score: 'Trust score',
  risk_level: 'Risk level',
  timestamp: 'Time',
};
