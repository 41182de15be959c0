import type { Auditor } from '../contract.ts';
import { concernOf, type Concern } from '../../runtime/contract.ts';

/** The concern of receipts that do not verify; they are of any tenant, or the installation's own. */
export function failingReceipts(auditor: Pick<Auditor, 'failing'>): Concern {
  return {
    name: 'failing_receipts',
    scope: '*',
    link: '/incidents?state=unresolved&kind=integrity',
    find: () =>
      concernOf(
        auditor.failing().map(({ receipt_id: id, verdicts, at }) => ({
          ...{ id, title: verdicts.join(', '), at, link: `/receipts/${id}` },
        })),
      ),
  };
}
