export { NewProvider } from './new.ts';
export { StoredProvider } from './one.ts';
