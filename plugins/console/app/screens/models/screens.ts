export { Budgets } from './budgets.ts';
export { Models } from './list.ts';
export { Playground } from './playground.ts';
export { UsageScreen } from './usage.ts';
