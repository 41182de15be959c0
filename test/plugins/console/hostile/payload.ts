/** Begins every hostile text: what is shown of it is found by this. */
export const mark = 'Hx7';

/** Elements that would run a script, load from elsewhere, or change the page, if a text became markup. */
export const short = `${mark}"'><img src=//elsewhere.example/x onerror=hit()><script>hit()</script><svg/onload=hit()>`;

/** Further ways, for fields that take more. */
export const long = [
  short,
  '</title></textarea></style></template></noscript><iframe srcdoc="<script>parent.hit()</script>"></iframe>',
  '<a href="javascript:hit()" onmouseover=hit() autofocus onfocus=hit() tabindex=0>a</a>',
  '<form action=//elsewhere.example/f><input type=submit></form><base href=//elsewhere.example/>',
  '<style>*{display:none}@import "//elsewhere.example/s"</style><link rel=stylesheet href=//elsewhere.example/l>',
  '<meta http-equiv=refresh content="0;url=//elsewhere.example/m"><math><mtext></mtext><script>hit()</script></math>',
  '${hit()} {{constructor.constructor("hit()")()}} javascript:hit() data:text/html,<script>hit()</script>',
].join('\n');

/** Characters that turn the order of a text around or end lines, which fields of the API alone take. */
export const turned = `${long}\n\u202eright to left\u202c \u2028 \ufeff`;

/** Objects that a careless renderer would take for elements or for markup. */
export const objects = {
  type: 'script',
  props: { dangerouslySetInnerHTML: { __html: short }, children: 'hit()', onClick: 'hit()' },
  __html: short,
  __k: null,
  key: short,
  [short]: short,
};
