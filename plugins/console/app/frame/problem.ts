/** One fault of a body: where, and what to do. */
export interface FieldFault {
  /** JSON Pointer with a leading `#`. */
  readonly pointer: string;
  readonly detail: string;
}

/** Why a policy denied an action. */
export interface Reason {
  readonly code: string;
  readonly message?: string;
  readonly policy?: string;
}

/** A problem, as the server writes it. */
export interface ProblemBody {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly request_id?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly FieldFault[];
  readonly run_id?: string;
  /** Of policies: what was found in their files. */
  readonly diagnostics?: readonly unknown[];
  readonly reasons?: readonly Reason[];
  /** Of the doors of models: the problem in the form of the API of OpenAI. */
  readonly error?: { readonly message: string; readonly orb?: ProblemBody };
}

/** A failed call, with the texts of its problem document. */
export class ApiProblem extends Error {
  /** 0: there was no answer. */
  readonly status: number;
  readonly code: string;
  /** How to mend it. */
  readonly detail: string;
  readonly errors: readonly FieldFault[];
  readonly requestId: string | undefined;
  /** The run that failed, when there is one. */
  readonly runId: string | undefined;
  /** Findings in policy files, when these are what is wrong. */
  readonly diagnostics: readonly unknown[];
  /** Why a policy denied it. */
  readonly reasons: readonly Reason[];

  constructor(status: number, { error, ...own }: ProblemBody) {
    const body = error === undefined ? own : { title: error.message, ...error.orb };
    super(body.title ?? `The server responded with status ${status}`);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.detail = body.detail ?? '';
    this.errors = body.errors ?? [];
    this.requestId = body.request_id;
    this.runId = body.run_id;
    this.diagnostics = body.diagnostics ?? [];
    this.reasons = body.reasons ?? [];
  }
}

/** Reads the problem of an answer that is not a success. */
export async function problemOf(answer: Response): Promise<ApiProblem> {
  const text = await answer.text();
  try {
    return new ApiProblem(answer.status, JSON.parse(text) as ProblemBody);
  } catch {
    return new ApiProblem(answer.status, {
      detail: 'The response is not a problem document. A proxy may have sent it.',
    });
  }
}

/** The problem of a call that got no answer at all. */
export function unreachable(): ApiProblem {
  const detail = 'Check that the server is running and reachable from this computer, then try again.';
  return new ApiProblem(0, { title: 'No response from the server', detail, code: 'unreachable' });
}

/** The problem of a call that takes the key itself, which the reader did not give. */
export function declined(): ApiProblem {
  return new ApiProblem(0, { title: 'No key was entered', detail: 'The request was not sent.', code: 'key_required' });
}

/** Makes a problem of whatever was thrown. */
export function asProblem(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown;
  const title = thrown instanceof Error ? thrown.message : 'This page failed';
  return new ApiProblem(0, { title, detail: 'Reload the page.', code: 'page_failed' });
}
