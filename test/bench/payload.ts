/** The body of every request of the bench. */
export interface ExecuteBody {
  readonly orb_id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** The request: a run of the echo. */
export const requestBody: ExecuteBody = {
  orb_id: 'demo.echo@1.0.0',
  inputs: { text: 'The quick brown fox jumps over the lazy dog, again and again, until the bench is over.' },
};

/** An answer of the same shape and size as a governed run's, made without doing anything. */
export function answerOf({ inputs }: ExecuteBody): object {
  return {
    run_id: 'run_01M7X8PQG00000000000000002',
    status: 'completed',
    outputs: inputs,
    receipt: {
      receipt_id: 'rec_01M7X8PQTP0000000000000003',
      trust_score: 65,
      risk_level: 'medium',
      signature_valid: true,
      timestamp: '2026-11-20T20:00:00.342Z',
    },
    execution_ms: 1,
  };
}
