import { existsSync, statSync } from 'node:fs';
import { fine, timestamp, type Examination, type Finding } from '../../kernel/index.ts';
import { budgetFiles, pricesPath } from './files.ts';
import { modelsInUse } from './import/models.ts';
import { priceFor } from './prices/file.ts';

const name = 'prices of models';
const dayMs = 86_400_000;
const oldDays = 90;
const badFile = 'correct the file: a server that runs keeps the prices before, and does not start with these';

/** Examines whether the models in use have prices, and whether the price file is old. */
export const examinePrices: Examination = ({ installation }): readonly Finding[] => {
  const faults: string[] = [];
  const config = installation.read(faults);
  const { prices } = budgetFiles.read({ config }, faults);
  const { unlisted, wanted } = modelsInUse(config.providers);
  if (wanted.length + unlisted.length === 0) return [];
  const path = pricesPath(config);
  const remedy = 'run `orb prices import`, or write the prices by hand';
  if (!existsSync(path)) return [{ name, state: 'warning', detail: `there is no ${path}: no call has a cost`, remedy }];
  if (prices === undefined) return [{ name, state: 'fault', detail: faults.join('; '), remedy: badFile }];
  const now = Date.now();
  const day = timestamp(now).slice(0, 10);
  const missing = [...wanted, ...unlisted].filter((model) => priceFor(prices, model, day) === undefined);
  // The time of a file has parts of a millisecond: one that was just written may lie ahead.
  const days = Math.max(0, Math.floor((now - statSync(path).mtimeMs) / dayMs));
  const findings: Finding[] = missing.map(({ provider, model }) => ({
    ...{ name, state: 'warning', detail: `${provider} ${model} has no price: its calls have no cost`, remedy },
  }));
  if (days > oldDays) findings.push({ name, state: 'warning', detail: `${path} is ${days} days old`, remedy });
  return findings.length > 0 ? findings : [fine(name, `all models in use have prices, ${days} days old`)];
};
