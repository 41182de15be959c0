/**
 * What code outside the tree imports as `agent-orb-kit`: the surfaces of the kernel for authors, and names that came from
 * there until they moved to the contract of the plugin that owns them, or of the adapters.
 */
export * from '../../kernel/surface.ts';
export { connectionRemedy, failureCode, failurePhase, hostAndPort } from '../../providers/vendor/contract.ts';
export { defineFact, type FactKind, type FactOf, type FactOwner, type FactRule } from '../receipts/contract.ts';
export { credential, revocations, type CredentialPort, type Revocations } from '../runtime/contract.ts';
export { undecidedReason } from '../runtime/contract.ts';
