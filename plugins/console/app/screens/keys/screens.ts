export { CreateKey } from './create.ts';
export { Keys } from './list.ts';
export { OneKey } from './one.ts';
