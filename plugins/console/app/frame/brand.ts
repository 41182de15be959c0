/** Returns the name that the operator gave the installation; the shell holds it. */
export function brandName(): string {
  return document.getElementById('app')?.dataset['brand'] ?? 'Agent Orb Platform';
}
