/** The contract of models that other plugins may import: which provider asks its vendor for which model. */
export { candidatesFor, type CallProvider } from './describe/candidates.ts';
