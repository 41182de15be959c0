import { statSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { every } from '../../../kernel/index.ts';
import { ProgressBar } from '../../terminal/contract.ts';
import type { Growing } from './growth.ts';

const stderr = 2;
const { bytes, columns, path, what } = workerData as Growing & { readonly columns: number };

// The other thread is blocked, so process.stderr would not be written.
const progress = new ProgressBar({ columns, write: (text) => writeSync(stderr, text) }).part(what);
const draw = (): void => progress(Math.min(statSync(path, { throwIfNoEntry: false })?.size ?? 0, bytes - 1), bytes);
every(100, draw, () => undefined);
// Keeps this thread alive.
parentPort?.on('message', () => undefined);
