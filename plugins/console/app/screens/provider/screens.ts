export { ProviderScreen } from './one.ts';
