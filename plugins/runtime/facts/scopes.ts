import type { Scopes } from '../../../kernel/index.ts';

/** Scopes of the routes of Orbs, runs and providers; the kernel knows the one that lets a caller run an Orb. */
export const runtimeScopes = {
  'orbs:read': { title: 'Read Orbs and Orbisets' },
  'orbs:manage': { title: 'Add, change and delete Orbs', installation: true },
  'orbisets:manage': { title: 'Create and change Orbisets: what a tenant may run, by whom, how often' },
  'runs:read': { title: "Read the tenant's runs" },
  'runs:cancel': { title: "Cancel the caller's own runs that have not been sent to a provider" },
  'runs:manage': { title: "Cancel any of the tenant's runs" },
  'providers:read': { title: 'Read swaps, and which provider serves an Orb', installation: true },
  'providers:swap': { title: 'Change the provider of an Orb', installation: true },
  'config:read': { title: 'Read the configuration in use, without secrets', installation: true },
  'config:reload': { title: 'Reload providers from platform.json', installation: true },
  'stats:read': { title: "Read statistics of the tenant's runs" },
  'runs:resolve': { title: 'Resolve runs with an unknown outcome' },
} as const satisfies Scopes;
