import type { WriterScope } from '../../../kernel/index.ts';
import { deliveryReading } from './reading.ts';
import { deliveryWriting } from './writing.ts';

/** The part of the plugin's store that holds deliveries, their bodies and signals, and usage. */
export const deliveryPart = {
  name: 'ingestion',
  write: (scope: WriterScope) => ({ operations: deliveryWriting(scope) }),
  read: deliveryReading,
} as const;
