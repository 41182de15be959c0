import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading, ProblemNote } from '../parts/notice.ts';
import { html } from './html.ts';
import { Page } from './page.ts';
import { asProblem, type ApiProblem } from './problem.ts';
import type { ScreenProps } from './screen.ts';

type Component = ComponentType<ScreenProps>;

const handed = new Map<string, Component>();

/** Hands over the screens of a part of the app; the part calls it when it has been loaded. */
export function handOver(part: string, screens: Readonly<Record<string, Component>>): void {
  for (const [name, screen] of Object.entries(screens)) handed.set(`${part} ${name}`, screen);
}

const loaded = new Map<string, Promise<unknown>>();

// Served as `/console/<part>.js`; a part that could not be loaded is asked for again.
function load(part: string): Promise<unknown> {
  const known = loaded.get(part);
  if (known !== undefined) return known;
  const path = `/console/${part}.js`;
  const loading: Promise<unknown> = import(path);
  loaded.set(part, loading);
  loading.catch(() => loaded.delete(part));
  return loading;
}

/** Makes a screen out of one of a part that is loaded when the screen is first shown. */
export function later(part: string, name: string, title: string): Component {
  return function Later(props: ScreenProps) {
    const [, setRound] = useState(0);
    const [problem, setProblem] = useState<ApiProblem>();
    const Shown = handed.get(`${part} ${name}`);
    const read = (): void => {
      setProblem(undefined);
      load(part).then(
        () => setRound((last) => last + 1),
        (thrown: unknown) => setProblem(asProblem(thrown)),
      );
    };
    useEffect(() => {
      if (Shown === undefined) read();
    }, []);
    if (Shown !== undefined) return html`<${Shown} ...${props} />`;
    return html`<${Page} title=${title}>
      ${problem === undefined ? html`<${Loading} />` : html`<${ProblemNote} problem=${problem} retry=${read} />`}
    <//>`;
  };
}
