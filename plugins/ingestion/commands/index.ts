import type { Command } from '../../../kernel/index.ts';
import { listDeliveries } from './deliveries-list.ts';
import { replayDeliveries } from './deliveries-replay.ts';
import { addSecret, removeSecret } from './secrets.ts';
import { createSource } from './sources-create.ts';
import { listSources } from './sources-list.ts';
import { deleteSource, setupSource, showSource, testSource } from './sources-one.ts';

/** All commands of sources and deliveries. */
export const ingestionCommands: readonly Command[] = [
  createSource,
  listSources,
  showSource,
  setupSource,
  testSource,
  addSecret,
  removeSecret,
  deleteSource,
  listDeliveries,
  replayDeliveries,
];
