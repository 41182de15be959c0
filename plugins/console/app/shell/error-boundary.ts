import { Component, type ComponentChildren } from 'preact';
import { ProblemNote } from '../parts/notice.ts';
import { html } from '../frame/html.ts';
import { Page } from '../frame/page.ts';
import { asProblem } from '../frame/problem.ts';

interface Held {
  readonly children?: ComponentChildren;
}

/** Shows a screen; when the screen itself fails, says so, and the rest of the console goes on. */
export class Failing extends Component<Held, { failed?: unknown }> {
  override state: { failed?: unknown } = {};

  static override getDerivedStateFromError(failed: unknown) {
    return { failed };
  }

  override render() {
    const { failed } = this.state;
    if (failed === undefined) return this.props.children;
    const again = (): void => this.setState({ failed: undefined });
    return html`<${Page} title="This screen failed"><${ProblemNote} problem=${asProblem(failed)} retry=${again} /><//>`;
  }
}
