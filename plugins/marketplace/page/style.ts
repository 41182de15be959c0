/** CSS of the marketplace pages, added to the shared stylesheet. */
export const marketStyle = `
.market{display:grid;grid-template-columns:15.5rem minmax(0,1fr);gap:2rem;margin-top:1.75rem;align-items:start}
.search{display:flex;gap:.6rem;margin-top:1.5rem;max-width:44rem}.search>div{flex:1}
.filters h2{font-size:.8125rem;color:var(--muted);font-weight:600;margin:1.35rem 0 .4rem;letter-spacing:0}
.filters ul{list-style:none}.filters a{display:flex;justify-content:space-between;gap:.75rem;align-items:center;min-height:2.25rem;padding:.1rem .65rem;border-radius:8px;color:var(--text);text-decoration:none}
.filters a:hover{background:var(--link-soft)}.filters a[aria-current]:not(.all){background:var(--link-soft);font-weight:650;box-shadow:inset 3px 0 var(--accent)}.filters .count{color:var(--muted);font-size:.875rem;font-weight:400}
.filters.wide h2:first-child,.filters.narrow nav h2:first-child{margin-top:0}.filters.narrow{display:none}
.results-head{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.5rem 1rem;margin-bottom:.9rem;min-height:2.25rem}
.results-head h2{font-size:1rem}.sorts{display:flex;flex-wrap:wrap;align-items:center;gap:.15rem;font-size:.9rem;color:var(--muted)}.sorts a{display:inline-flex;align-items:center;min-height:2.25rem;padding:0 .6rem;border-radius:8px;color:var(--muted);text-decoration:none}.sorts a:hover{background:var(--link-soft)}.sorts a[aria-current]{color:var(--text);font-weight:650}
.cards{list-style:none;display:grid;gap:.85rem}
.card{position:relative;display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.35rem 1.5rem;padding:1.15rem 1.35rem;transition:border-color .12s}
.card:hover{border-color:var(--line-strong)}.card h3{font-size:1.125rem}.card .mono{font-size:.8125rem;overflow-wrap:anywhere}.card h3 a{text-decoration:none}.card h3 a::after{content:"";position:absolute;inset:0;border-radius:var(--radius)}.card h3 a:focus-visible{outline:0}.card h3 a:focus-visible::after{outline:3px solid var(--link);outline-offset:2px}
.card p{color:var(--muted)}.card .row{margin-top:.3rem}.card time{white-space:nowrap}.card-score{grid-column:2;grid-row:1/span 5;text-align:right;align-self:center;min-width:4.5rem}
.card-score strong{display:block;color:var(--text);font-size:1.9rem;line-height:1;letter-spacing:-.03em;font-variant-numeric:tabular-nums}.card-score span{font-size:.8125rem;color:var(--muted)}.card-score .dash{color:var(--muted);font-weight:500}
.empty{text-align:center;padding:3rem 1.5rem}.empty pre{display:inline-block;max-width:100%;text-align:left}.empty p{margin:.5rem auto 1.25rem;max-width:46ch;color:var(--muted)}
.orb-head{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:1.5rem 2.5rem;align-items:center}
.orb-head .id{font-family:var(--mono);color:var(--muted);margin-top:.35rem;overflow-wrap:anywhere}.orb-head .row{margin-top:1rem}
.ring{width:8.5rem;height:8.5rem;display:block}.ring-back{stroke:var(--line)}.ring-value{stroke:var(--accent)}.ring text{fill:var(--text);font-weight:700;font-size:30px;letter-spacing:-1px}.ring .of{fill:var(--muted);font-size:10.5px;font-weight:500;letter-spacing:0}
.orb-grid{display:grid;grid-template-columns:minmax(0,1fr) 21rem;gap:1.5rem;margin-top:2rem;align-items:start}
.anatomy{list-style:none}.anatomy li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.3rem 1rem;padding:.95rem 0;border-bottom:1px solid var(--line)}.anatomy li:last-child{border-bottom:0;padding-bottom:0}
.anatomy h3{text-transform:capitalize}.anatomy .points{font-variant-numeric:tabular-nums;white-space:nowrap;color:var(--muted)}.anatomy .points strong{color:var(--text)}.anatomy .bar,.anatomy .why,.anatomy .lift{grid-column:1/-1;font-size:.9375rem}.anatomy .lift{color:var(--muted)}
.tiles{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.75rem;margin:0}.tiles div{background:var(--raised);border:1px solid var(--line);border-radius:10px;padding:.7rem .9rem}.tiles dt{font-size:.8125rem;color:var(--muted)}.tiles dd{margin:.1rem 0 0;font-size:1.25rem;font-weight:650;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.ladder{list-style:none;position:relative}.ladder>li{position:relative;padding:0 0 1.1rem 2.1rem}.ladder>li:last-child{padding-bottom:0}.ladder>li::before{content:"";position:absolute;left:.5rem;top:.3rem;width:.85rem;height:.85rem;border-radius:50%;border:2px solid var(--line-strong);background:var(--surface)}.ladder>li:not(:last-child)::after{content:"";position:absolute;left:calc(.5rem + .425rem);top:1.3rem;bottom:-.2rem;width:2px;background:var(--line)}.ladder>li.held::before{background:var(--good);border-color:var(--good)}.ladder>li.next::before{border-color:var(--accent)}.ladder ul{margin:.35rem 0 0 1.1rem;color:var(--muted);font-size:.9375rem}.ladder li li{margin-top:.2rem}
.orb-grid+.orb-grid{margin-top:1.5rem}.members td:last-child{min-width:9rem;overflow-wrap:anywhere}.stack h3{margin-bottom:.5rem}.code-block+.small{margin-top:.6rem}.notice p+p{margin-top:.35rem}
.checks{list-style:none;margin-top:.9rem}.checks li{display:flex;gap:.6rem;padding:.4rem 0;border-bottom:1px solid var(--line);font-size:.9375rem}.checks li:last-child{border:0}.mark-pass{color:var(--good);font-weight:700}.mark-fail{color:var(--bad);font-weight:700}.mark-not_checked{color:var(--warn);font-weight:700}
.readme>*+*{margin-top:.85rem}.readme ul,.readme ol{padding-left:1.4rem}.readme li+li{margin-top:.25rem}.readme blockquote{margin-inline:0;border-left:3px solid var(--line-strong);padding-left:1rem;color:var(--muted)}.readme hr{border:0;border-top:1px solid var(--line)}.readme h3,.readme h4,.readme h5{margin-top:1.4rem}.readme h4{font-size:1rem}.readme h5{font-size:.9375rem;color:var(--muted);margin-bottom:0}
.snippets>div+div{margin-top:.9rem}.snippets h3{font-size:.8125rem;color:var(--muted);margin-bottom:.3rem}
.notice,dl.facts.notice{margin-top:1rem}.note+.anatomy{margin-top:.5rem}.links{margin-top:1rem}
.badge{display:block;height:20px;max-width:100%}.spark{display:block;width:100%;height:auto}.spark-line{stroke:var(--accent)}.spark-area{fill:var(--link-soft)}.spark-grid{stroke:var(--line)}.spark text{fill:var(--muted);font-size:11px}
.orb-grid>*,.market>*{min-width:0}
@media(max-width:60rem){.orb-grid{grid-template-columns:minmax(0,1fr)}}
@media(max-width:52rem){.market{grid-template-columns:minmax(0,1fr);gap:1rem}.filters.wide{display:none}.filters.narrow{display:block;background:var(--surface);border:1px solid var(--line);border-radius:var(--radius);padding:.1rem 1rem}.filters.narrow nav{padding:.25rem 0 1rem}.filters.narrow a{min-height:2.75rem}}
@media(max-width:40rem){.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}.tiles dd{font-size:1.1rem}.orb-head{grid-template-columns:minmax(0,1fr)}.ring{width:7rem;height:7rem}.search{flex-wrap:wrap}.search>div{flex-basis:100%}.search .button{width:100%}.card{padding:1rem 1.1rem;gap:.35rem 1rem}.card-score{min-width:3rem}.card-score strong{font-size:1.5rem}}
`.replaceAll('\n', '');
