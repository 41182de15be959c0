import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../frame/html.ts';
import { Page } from '../frame/page.ts';
import { asProblem, type ApiProblem } from '../frame/problem.ts';
import type { Screen, ScreenProps } from '../frame/screen.ts';
import { Loading, ProblemNote } from '../parts/notice.ts';

const loaded = new WeakMap<Screen, ComponentType<ScreenProps>>();

/** Shows a screen; one of a part that was not loaded yet is loaded first. */
export function Opened({ screen, ...props }: ScreenProps & { readonly screen: Screen }) {
  const [problem, setProblem] = useState<ApiProblem>();
  const [, setLoaded] = useState(false);
  const component = 'component' in screen ? screen.component : loaded.get(screen);
  const load = (): void => {
    if ('component' in screen || component !== undefined) return;
    setProblem(undefined);
    screen.load().then(
      (found) => {
        loaded.set(screen, found);
        setLoaded(true);
      },
      (thrown: unknown) => setProblem(asProblem(thrown)),
    );
  };
  useEffect(load, [screen]);
  if (component !== undefined) return html`<${component} ...${props} />`;
  return html`<${Page} title=${screen.title}>
    ${problem === undefined ? html`<${Loading} />` : html`<${ProblemNote} problem=${problem} retry=${load} />`}
  <//>`;
}
