import { definePlugin, grouped } from '../../kernel/index.ts';
import { keyNames } from '../api-keys/contract.ts';
import { meterPort, runtime } from '../runtime/contract.ts';
import { budgetCommands } from './commands.ts';
import { mostUse, tokenRate, type MostUseOf } from './contract.ts';
import { examinePrices } from './examination.ts';
import { budgetFiles, type BudgetFiles } from './files.ts';
import { priceCommands } from './import/command.ts';
import { Meter } from './meter.ts';
import { portOf } from './port.ts';
import { PriceWatch } from './prices/watch.ts';
import { problems } from './problems.ts';
import { keepTidy } from './retention.ts';
import { tokenRates } from './rate.ts';
import { budgetRoutes } from './routes.ts';
import { config } from './settings.ts';
import { spendDescription } from './spend.ts';
import budgetsStore from './store.ts';

/** Limits what metered runs may use, and sums what they used and cost. */
export default definePlugin({
  name: 'budgets',
  config,
  problems,
  files: budgetFiles,
  scopes: { 'usage:read': { title: "Read the tenant's budgets, usage and cost of models" } },
  requires: { runtime },
  uses: { keyNames },
  provides: { meter: meterPort, mostUse, tokenRate },
  commands: grouped(
    [
      { name: 'budgets', task: 'observe' },
      { name: 'usage', task: 'observe' },
      { name: 'prices', task: 'operate', summary: 'take in the prices of models' },
    ],
    [...budgetCommands, ...priceCommands],
  ),
  examinations: [examinePrices],
  keeps: [
    { what: 'usage of models', tables: ['budgets_usage'], settings: ['retention_days'] },
    {
      what: 'windows of budgets',
      tables: ['budgets_windows', 'budgets_reservations'],
      advice: 'They are deleted a day after they have ended.',
    },
  ],
  store: budgetsStore,
  start(scope) {
    const { clock, config: settings, log, services, store } = scope;
    const lists = store.awaitedReads(budgetsStore);
    const untidy = keepTidy({ clock, log, store, days: settings.retention_days ?? 400 });
    // Only the plugin's own `files` reads them.
    const { budgets, ...file } = scope.files as BudgetFiles;
    const watch = new PriceWatch({ ...file, clock, log });
    const unwatch = watch.begin();
    const { unpriced = 'refuse' } = settings;
    const reads = store.reads(budgetsStore);
    const meter = new Meter({
      ...{ budgets, unpriced, clock, reads },
      get prices() {
        return watch.prices;
      },
    });
    services.runtime.concern(watch.concern);
    services.runtime.describe(spendDescription({ clock, meter, reads }));
    const stop = () => {
      unwatch();
      return untidy();
    };
    const most: MostUseOf = (inputs, providers) => meter.mostUseOf({ inputs, providers });
    const nameOf = services.keyNames ?? (() => undefined);
    return {
      services: { meter: portOf(meter), mostUse: most, tokenRate: { of: tokenRates({ budgets, clock, reads }) } },
      routes: budgetRoutes({ clock, lists, nameOf }),
      stop,
    };
  },
});
