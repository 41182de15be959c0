import { html, type Html } from '../../../kernel/index.ts';
import type { Pages } from '../../pages/contract.ts';
import type { Entry } from '../listing.ts';
import { exampleInputs, membersTable, type Meanings } from './inputs.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

/** How an Orb is reached on this installation. */
export interface Access {
  readonly publicUrl: string;
  /** Agents can call Orbs as tools here. */
  readonly tools: boolean;
  readonly meanings: Meanings;
}

/** Shows how to call a version: its inputs and outputs, a request, and the address for agents. */
export function calling(
  { codeBlock }: Pages,
  { listing: { orb_id } }: Entry,
  manifest: OrbManifest | undefined,
  access: Access,
): Html {
  if (manifest === undefined)
    return html`<section class="panel" aria-labelledby="call">
      <h2 id="call">Call this Orb</h2>
      <p>This installation no longer has the Orb, so it cannot be called here. Its receipts and its history stay.</p>
    </section>`;
  const { publicUrl, tools, meanings } = access;
  const address = `${publicUrl}/orbisets/default/mcp`;
  return html`<section class="panel stack" aria-labelledby="call">
    <h2 id="call">Call this Orb</h2>
    ${codeBlock('curl', 'request with curl', request(orb_id, manifest, publicUrl))}
    <p class="small muted">
      <code>ORB_KEY</code> holds a key with the scope <code>orbs:execute</code>; ask the operator for one.
      ${repeating(manifest.effect)}
    </p>
    <div>
      <h3>Inputs</h3>
      ${membersTable(manifest.inputs_schema, 'Inputs', meanings) ?? html`<p class="muted">Any object.</p>`}
    </div>
    <div>
      <h3>Outputs</h3>
      ${membersTable(manifest.outputs_schema, 'Outputs') ?? html`<p class="muted">Any object.</p>`}
    </div>
    ${
      tools &&
      html`<div>
        <h3>From an agent (MCP)</h3>
        ${codeBlock('mcp', 'command for Claude Code', `claude mcp add --transport http orbs ${address} \\\n  --header "Authorization: Bearer $ORB_KEY"`)}
        <p class="small muted">Other clients take the address <code>${address}</code> and the same header.</p>
      </div>`
    }
  </section>`;
}

function request(orb_id: string, { inputs_schema, effect }: OrbManifest, publicUrl: string): string {
  const body = JSON.stringify({ orb_id, inputs: exampleInputs(inputs_schema) }, undefined, 2);
  // A single quote would end the text for the shell.
  return [
    `curl ${publicUrl}/orbisets/default/execute \\`,
    `  -H "Authorization: Bearer $ORB_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    ...(isRepeatable(effect) ? [] : [`  -H "Idempotency-Key: one-for-each-call" \\`]),
    `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n');
}

function repeating(effect: OrbManifest['effect']): string {
  if (isRepeatable(effect)) return 'A call is safe to retry.';
  return 'A call has an effect. Send a unique Idempotency-Key with each call, so that a retry does not repeat the effect.';
}

function isRepeatable(effect: OrbManifest['effect']): boolean {
  return effect === 'none' || effect === 'idempotent';
}
