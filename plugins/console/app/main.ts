import { h, render } from 'preact';
import { useState } from 'preact/hooks';
import htm from 'htm';

const html = (htm as unknown as { bind(make: typeof h): (texts: TemplateStringsArray) => ReturnType<typeof h> }).bind(
  h,
);

function Console(): ReturnType<typeof h> {
  useState(0);
  return html`<h1>Console</h1>`;
}

const place = document.getElementById('app');
if (place !== null) render(h(Console, null), place);
