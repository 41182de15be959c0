/** What the server answers of a source, as far as commands print it. */
export interface ShownSource {
  readonly source_id: string;
  readonly name: string;
  readonly vendor: string;
  readonly paused: boolean;
  readonly auth: { readonly scheme: string };
  readonly may_name: Readonly<Record<'orbs' | 'providers' | 'components', readonly string[]>>;
  readonly secrets: readonly {
    readonly version: number;
    readonly not_after?: string;
    readonly last_used_at?: string;
  }[];
}

/** What the server answers of a setup. */
export interface ShownSetup {
  readonly url: string;
  readonly steps: readonly string[];
  readonly snippets: readonly { readonly title: string; readonly text: string }[];
}

/** Writes a setup for people. */
export function setupText({ steps, snippets }: ShownSetup): string {
  const list = steps.map((step, index) => `${index + 1}. ${step}`);
  return [...list, ...snippets.flatMap(({ title, text }) => ['', `${title}:`, text])].join('\n');
}
