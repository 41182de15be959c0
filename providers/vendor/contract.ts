// What adapters of all capabilities share and code outside the tree may use.
export { connectionRemedy, failureCode, failurePhase, hostAndPort } from './connection/remedy.ts';
