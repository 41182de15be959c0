/** The screens of callbacks. */
export { NewSubscription } from './create.ts';
export { Callbacks } from './list.ts';
export { OneSubscription } from './one.ts';
