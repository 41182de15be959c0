/** Rules of the documentation beside the stylesheet of all pages. */
export const docsStyle = `
.docs{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:2.5rem;align-items:start}
.docs>*{min-width:0}.docs-search>div{display:flex;gap:.4rem}.docs-search .button{padding:0 .9rem}
.docs-nav{margin-top:1.25rem;font-size:.9375rem}.docs-nav ul{list-style:none;margin-bottom:1rem}.docs-group{font-size:.8125rem;font-weight:650;color:var(--muted);margin-bottom:.15rem}
.docs-nav a{display:block;padding:.28rem .6rem;border-radius:8px;color:var(--text);text-decoration:none}.docs-nav a:hover{background:var(--link-soft)}.docs-nav a[aria-current]{background:var(--link-soft);color:var(--link);font-weight:600}
.docs-main{display:flex;flex-direction:column;gap:1.25rem}.docs-version{border-top:1px solid var(--line);padding-top:.9rem;color:var(--muted);font-size:.875rem}
.docs-toc{float:right;width:15rem;margin:0 0 1.25rem 1.75rem;padding:.85rem 1.1rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);font-size:.9375rem}.docs-toc.long{float:none;width:auto;margin:0 0 1.5rem}.docs-toc.long ul{columns:3 13rem}.docs-toc ul{list-style:none}.docs-toc li{margin:.2rem 0}
.prose>*+*{margin-top:.95rem}.prose h1{margin-bottom:.4rem;overflow-wrap:anywhere}.prose h2{margin-top:2.2rem;font-size:1.4rem}.prose h3{margin-top:1.6rem;font-size:1.125rem}.prose h4{margin:1.2rem 0 0;font-size:1rem}
.prose>p,.prose>ul,.prose>ol{max-width:46rem}.prose ul:not(.docs-toc ul),.prose ol{padding-left:1.4rem}.prose li+li{margin-top:.25rem}.prose li>ul{margin-top:.25rem}
.prose blockquote{margin-inline:0;border-left:3px solid var(--line-strong);padding-left:1rem;color:var(--muted)}.prose pre,.prose .scroll{clear:right}.prose td,.prose th{overflow-wrap:normal}.prose td code{overflow-wrap:anywhere}.prose td:first-child code{overflow-wrap:normal}
.hits{list-style:none;display:grid;gap:1.1rem}.hits a{font-weight:600}.hits p{overflow-wrap:anywhere}
.docs .narrow{display:none}
@media(max-width:60rem){.docs{grid-template-columns:minmax(0,1fr);gap:1rem}.docs .wide{display:none}.docs .narrow{display:block;margin-top:.75rem}.docs-toc{float:none;width:auto;margin:0 0 1rem}}
`.replaceAll('\n', '');
