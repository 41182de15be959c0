import { PlatformError } from '../../../kernel/error.ts';
import { reply } from '../../../kernel/http/route/route.ts';

/** Fails, or answers what cannot be sent, as the id of a test's route says. */
export function failure(id: string): unknown {
  if (id === 'schema') return { id, surplus: true };
  if (id === 'header') return reply({ headers: { Location: 'line\r\nInjected: yes' }, body: { id } });
  if (id === 'circle') {
    const circle: Record<string, unknown> = { id };
    circle['self'] = circle;
    return reply({ body: circle });
  }
  if (id === 'storage') {
    const cause = new Error('disk /var/secret is full');
    throw new PlatformError('storage_unavailable', 'call again', { retry_after: 2.2, run_id: 'run_1' }, { cause });
  }
  throw new Error('a password was hunter2 in /etc/secret');
}
