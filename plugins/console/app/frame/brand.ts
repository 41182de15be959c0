import { html } from './html.ts';

/** Returns the name that the operator gave the installation; the shell holds it. */
export function brandName(): string {
  return document.getElementById('app')?.dataset['brand'] ?? 'Agent Orb Platform';
}

/** Shows logo and name of the operator, which lead home. */
export function Brand() {
  return html`<a class="brand" href="/console"
    ><img src="/logo" width="26" height="26" alt="" /><span>${brandName()}</span></a
  >`;
}
