import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../frame/html.ts';
import { Page } from '../frame/page.ts';
import { asProblem, type ApiProblem } from '../frame/problem.ts';
import type { ScreenProps } from '../frame/screen.ts';
import { Loading, ProblemNote } from './notice.ts';

/** The screens of the second script, by title; empty until it was loaded. */
export const later: Record<string, ComponentType<ScreenProps>> = {};

/** Makes a screen of the second script, which is loaded when one of its screens is first opened. */
export function laterScreen(title: string): ComponentType<ScreenProps> {
  return function Later(props) {
    const [problem, setProblem] = useState<ApiProblem>();
    const [, setLoaded] = useState(false);
    const screen = later[title];
    useEffect(() => {
      if (screen === undefined)
        load('/console/models.js').then(
          () => setLoaded(true),
          (thrown: unknown) => setProblem(asProblem(thrown)),
        );
    }, []);
    if (screen !== undefined) return html`<${screen} ...${props} />`;
    return html`<${Page} title=${title}>
      ${problem === undefined ? html`<${Loading} />` : html`<${ProblemNote} problem=${problem} />`}
    <//>`;
  };
}

const load = (path: string): Promise<unknown> => import(path);
