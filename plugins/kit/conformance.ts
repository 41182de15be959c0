/** The conformance suites for adapters and stores, as authors import them: `agent-orb-kit/conformance`. */
export { conformanceChecks } from './conformance/suite.ts';
export { outsideSubset } from './conformance/sql-subset.ts';
export { storeChecks } from './conformance/store-checks.ts';
// A stand-in for the service that an adapter calls, and the ways in which it fails.
export { startFaultServer } from './conformance/fault-server.ts';
export { connectionFaults, httpFaults } from './conformance/network-faults.ts';
export type { FaultServer, ServerFault, ServerReply } from './conformance/fault-server.ts';
export type { Check, ConformanceOptions, Fault, Hang, Inputs, Receiver } from './conformance/options.ts';
