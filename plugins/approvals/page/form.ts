import { compileLater, PlatformError, type RequestInfo } from '../../../kernel/index.ts';
import { problems } from '../problems.ts';
import { decisionRequest, type DecisionRequest } from '../schema.ts';

const faultsOf = compileLater(decisionRequest);
const mostBytes = 16 * 1024;
const members = ['decision', 'digest', 'comment'];

/**
 * Reads the form of a page. Throws 403 `approval_from_elsewhere` when a page of another site sent it, 415 for anything but
 * a form, 413, and 422 `invalid_body` when it does not say what is decided.
 */
export async function readForm({
  headers,
  readBody,
}: Pick<RequestInfo, 'headers' | 'readBody'>): Promise<DecisionRequest> {
  const from = headers['sec-fetch-site'];
  if (from !== undefined && from !== 'same-origin')
    throw new PlatformError(problems.approval_from_elsewhere, 'open the page of the approval, and decide there');
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type']?.toString() ?? ''))
    throw new PlatformError(
      'unsupported_media_type',
      'send the form of the page; programs decide by POST /approvals/{approval_id}/decision',
    );
  const fields = [...new URLSearchParams(Buffer.from(await readBody(mostBytes)).toString('utf8'))];
  const named = fields.filter(([name, value]) => members.includes(name) && (name !== 'comment' || value.trim() !== ''));
  // Browsers end the lines of a form with both characters.
  const request = Object.fromEntries(named.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]));
  const faults = faultsOf(request);
  const twice = named.length !== new Set(named.map(([name]) => name)).size;
  if (faults.length > 0 || twice || named.some(([, value]) => value.includes('\0')))
    throw new PlatformError('invalid_body', 'the form does not say whether to approve or to refuse, and what', {
      errors: faults,
    });
  // It fits the schema.
  return request as unknown as DecisionRequest;
}
