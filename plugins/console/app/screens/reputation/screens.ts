export { ReputationScreen } from './list.ts';
export { Namespaces } from './namespaces.ts';
export { OrbReputation } from './orb.ts';
