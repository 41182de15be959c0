export { Providers } from './matrix.ts';
export { OneOrb } from './one.ts';
