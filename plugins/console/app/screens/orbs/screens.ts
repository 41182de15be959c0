export { EditOrb, NewOrb } from './edit.ts';
export { EditOrbiset, NewOrbiset } from './edit-orbiset.ts';
export { Orbs } from './list.ts';
export { OrbScreen } from './one.ts';
export { OrbisetScreen } from './orbiset.ts';
export { Orbisets } from './orbisets.ts';
