/** Reads an answer of the API of the demonstration. */
export type Get = (path: string) => Promise<unknown>;

const email = 'notify.email@1.0.0';

// The id of the first item of a list that a screen shows.
const first =
  (path: string, member: string) =>
  async (get: Get): Promise<string> => {
    const page = (await get(path)) as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
    const [list = []] = Object.values(page).filter(Array.isArray);
    const value = list[0]?.[member];
    if (typeof value !== 'string') throw new Error(`${path} lists nothing that has a ${member}`);
    return value;
  };

/** What stands in the address of a screen in place of its parameters, by the path of the screen or the parameter. */
export const examples: Readonly<Record<string, string | ((get: Get) => Promise<string>)>> = {
  run_id: first('/runs?status=completed&orb_id=notify.email@1.0.0&limit=1', 'run_id'),
  receipt_id: first('/receipts?status=completed&limit=1', 'receipt_id'),
  approval_id: first('/approvals?state=open&limit=1', 'approval_id'),
  orb_id: email,
  incident_id: first('/incidents?provider=postmark-eu&limit=1', 'incident_id'),
  source_id: first('/sources?limit=1', 'source_id'),
  delivery_id: first('/deliveries?state=done&limit=1', 'delivery_id'),
  key_id: first('/keys?limit=1', 'key_id'),
  decision_id: first('/policies/-/decisions?limit=1', 'decision_id'),
  '/policies/{id}': 'outside_mail',
  '/orbs/{orb_id}/edit': 'acme.greeting@1.0.0',
  '/orbisets/{id}': 'shop',
  '/orbisets/{id}/edit': 'support',
  '/providers/-/{name}': 'postmark-eu',
  orbiset_id: 'shop',
  schedule_id: first('/orbisets/shop/schedules?limit=1', 'schedule_id'),
  subscription_id: first('/orbisets/shop/subscriptions', 'subscription_id'),
  '/providers/stored/{name}': 'archive',
};

/** Fills the parameters of the path of a screen. Throws for one without an example. */
export async function placeOf(path: string, get: Get): Promise<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  let filled = path;
  for (const name of names) {
    const example = examples[path] ?? examples[name];
    if (example === undefined) throw new Error(`${path}: add an example of {${name}} to test/screenshots/places.ts`);
    filled = filled.replace(
      `{${name}}`,
      encodeURIComponent(typeof example === 'string' ? example : await example(get)),
    );
  }
  return filled;
}
