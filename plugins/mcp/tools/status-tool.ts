import { given, type Principal } from '../../../kernel/index.ts';
import { statusTool, type Tool } from './tools.ts';
import type { Members } from '../wire/wire.ts';
import { runSchema, shownRun, type ApprovalState, type Runtime } from '../../runtime/contract.ts';

/** The tool that answers how a run of the caller ended. */
export const statusToolEntry: Tool = Object.freeze({
  name: statusTool,
  title: 'Status of a run',
  description: 'Answers how a run of yours ended, or that it is still under way.\nReads only.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['run_id'],
    properties: { run_id: { type: 'string', description: 'As an earlier answer names it' } },
  },
  outputSchema: {
    type: 'object',
    required: ['run_id', 'status'],
    properties: {
      run_id: { type: 'string' },
      status: { enum: runSchema.properties.status.enum },
      reason: { type: 'string' },
      receipt_id: { type: 'string' },
      approval: { type: 'object', description: 'What a held run waits for' },
    },
  },
  annotations: { title: 'Status of a run', readOnlyHint: true, openWorldHint: false },
});

const sentences: Readonly<Record<string, string>> = {
  completed: 'It was done once.',
  failed: 'It was not done.',
  timed_out: 'It did not end in time. It is safe to call again.',
  cancelled: 'It was cancelled before anything was sent.',
  denied: "It was not allowed by the operator's rules. Nothing was done.",
  indeterminate: 'It is not known whether this was done. Do not call it again. Tell the user.',
  running: 'It is still under way.',
  queued: 'It waits for its turn. Ask again later.',
  held: 'Nothing was done yet. Ask again later; do not call it again.',
};

/** Tells whom a held run waits for, and until when. */
export function waitsFor({ asked, expires_at }: ApprovalState): string {
  return `A member of ${asked.join(' and of ')} must approve it first; it waits until ${expires_at}.`;
}

/** Where runs are found; `underWay`: by id, the principals of those that have no receipt yet. */
interface Runs {
  readonly runtime: Pick<Runtime, 'findRun' | 'findOpenRun'>;
  readonly underWay: ReadonlyMap<string, string>;
}

/** The result of the tool: of a run of this caller that has ended, or that is under way on this node. */
export async function runStatus(args: Members, principal: Principal, { runtime, underWay }: Runs): Promise<object> {
  const { run_id } = args;
  if (typeof run_id !== 'string' || Object.keys(args).length !== 1)
    return failed('The arguments do not fit: /run_id: must be a string, and the only argument. Correct them.');
  const ended = async (): Promise<Members | undefined> => {
    const run = await runtime.findRun(run_id);
    return run?.principal === principal.id ? (shownRun(run) as Members) : undefined;
  };
  // It may end while it is looked for among the open ones.
  const found = (await ended()) ?? (await openRun(run_id, principal, { runtime, underWay })) ?? (await ended());
  if (found === undefined) return failed(`There is no run ${JSON.stringify(run_id.slice(0, 64))} of yours.`);
  const waits = 'approval' in found ? `${waitsFor(found['approval'] as ApprovalState)} ` : '';
  const text = waits + (sentences[String(found['status'])] ?? '');
  const said = [
    { type: 'text', text: JSON.stringify(found) },
    { type: 'text', text },
  ];
  return { content: said, structuredContent: found };
}

async function openRun(
  run_id: string,
  principal: Principal,
  { runtime, underWay }: Runs,
): Promise<Members | undefined> {
  if (underWay.get(run_id) === principal.id) return { run_id, status: 'running' };
  const open = await runtime.findOpenRun(run_id);
  if (open?.principal !== principal.id) return undefined;
  return { run_id, status: open.status, ...given({ approval: open.approval }) };
}

function failed(text: string): object {
  return { content: [{ type: 'text', text }], isError: true };
}
