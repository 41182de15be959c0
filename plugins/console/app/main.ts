import { render } from 'preact';
import { App } from './shell/app.ts';
import { html } from './frame/html.ts';
import { followLinks } from './frame/router.ts';
import { screens } from './screens.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the shell has no place for the console');
root.replaceChildren();
followLinks();
render(html`<${App} screens=${screens} />`, root);
