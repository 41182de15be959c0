import { PlatformError, problems, type ProblemExtensions, type ProblemType } from '../../error.ts';
import type { ProblemTable } from '../../problem-table.ts';
import { exactly, optional, type JsonSchema } from '../../tools/schema.ts';

/** Media type of every error answer (RFC 9457). */
export const problemType = 'application/problem+json';

/** An error answer before it is written. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Finds the problem type of a failure; undefined for a defect: no PlatformError, or one of an undeclared type. */
export function declaredType(error: unknown, table: ProblemTable): ProblemType | undefined {
  return error instanceof PlatformError ? table.get(error.code) : undefined;
}

/**
 * Turns a failure into problem+json. A defect is `internal`, with nothing of the error in it. `publicUrl` has no slash
 * at the end; `/problems/<code>` under it explains the code.
 */
export function toProblem(
  error: unknown,
  { problems: table, publicUrl }: { readonly problems: ProblemTable; readonly publicUrl: string },
  requestId: string,
): Problem {
  const declared = declaredType(error, table);
  const known = declared !== undefined && error instanceof PlatformError ? error : undefined;
  const { code, status, title, retryable } = declared ?? problems.internal;
  const { headers = {}, retry_after, ...members } = known?.extensions ?? {};
  // Under its key a repetition would get the stored answer again.
  const may = retryable && !('Idempotent-Replayed' in headers) && !mayBeDone(code, members);
  return {
    status,
    headers: {
      ...headers,
      ...(retry_after === undefined ? {} : { 'Retry-After': String(Math.ceil(retry_after)) }),
      'X-Should-Retry': String(may),
    },
    body: {
      type: `${publicUrl}/problems/${code}`,
      title,
      status,
      ...(known === undefined ? {} : { detail: known.message === code ? title : known.message }),
      code,
      request_id: requestId,
      retryable,
      ...members,
    },
  };
}

// A run began, and how it ended could not be recorded: without a key a repetition may do it a second time.
function mayBeDone(code: string, { run_id, run_status }: Omit<ProblemExtensions, 'headers' | 'retry_after'>): boolean {
  return code === 'storage_unavailable' && run_id !== undefined && run_status === undefined;
}

const salt = { type: 'string', description: '16 bytes in base64' } as const;

/** Describes the salts of a receipt's commitments. */
export const openingSchema = {
  ...exactly('Opening', { inputs_salt: salt, outputs_salt: optional(salt) }),
  description: 'Proves the commitments of the receipt: SHA-256 of salt and canonical JSON. Only if `disclose` is true',
} as const satisfies JsonSchema;
