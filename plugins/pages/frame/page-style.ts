/**
 * The one stylesheet of the public pages: tokens of both colour schemes, layout, and the parts pages are built from.
 * Every text colour is at least 4.5:1 on the surfaces behind it.
 */
export const pageStyle = `
:root{color-scheme:light dark;--bg:#f6f7f9;--surface:#fff;--raised:#fbfcfd;--line:#dfe3e8;--line-strong:#8a94a3;
--text:#141a22;--muted:#4f5b69;--link:#1450b4;--link-soft:#e9f0fc;--accent:#1450b4;--on-accent:#fff;--code:#f0f2f5;
--good:#186a3b;--good-soft:#e6f4ea;--warn:#7a4b00;--warn-soft:#fdf3dc;--bad:#a3121f;--bad-soft:#fdeaea;
--bronze:#8c5a2b;--silver:#5f6b76;--gold:#806400;--platinum:#2f5d8a;--none:#626a73;--shadow:0 1px 2px rgb(16 24 40/.06),0 4px 16px rgb(16 24 40/.05);
--radius:14px;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media(prefers-color-scheme:dark){:root{--bg:#0e1116;--surface:#161b22;--raised:#1b212a;--line:#2b333d;--line-strong:#6d7886;
--text:#e8edf3;--muted:#a5b0bd;--link:#8ab8ff;--link-soft:#1b2a41;--accent:#8ab8ff;--on-accent:#0b1626;--code:#1f2630;
--good:#7fd69b;--good-soft:#15301f;--warn:#f0c878;--warn-soft:#352810;--bad:#ff9a9a;--bad-soft:#3b1a1d;
--bronze:#e0a877;--silver:#b9c4cf;--gold:#e8c95a;--platinum:#9cc6f0;--none:#a5b0bd;--shadow:0 1px 2px rgb(0 0 0/.4)}}
*,*::before,*::after{box-sizing:border-box}[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
h1,h2,h3{line-height:1.2;margin:0;letter-spacing:-.015em;text-wrap:balance}
h1{font-size:clamp(1.7rem,1.2rem + 2vw,2.4rem)}h2{font-size:1.2rem}h3{font-size:1rem}
p{margin:0}ul,ol{margin:0;padding:0}a{color:var(--link);text-underline-offset:.18em}a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:6px}
.skip{position:absolute;left:1rem;top:-4rem;background:var(--accent);color:var(--on-accent);padding:.6rem 1rem;border-radius:0 0 8px 8px;z-index:2}
.skip:focus{top:0}
.wrap{width:min(72rem,100% - 2.5rem);margin-inline:auto}
.site-notice{background:var(--warn-soft);border-bottom:1px solid var(--line);font-size:.875rem}.site-notice .wrap{padding-block:.4rem}
.site-head{background:var(--surface);border-bottom:1px solid var(--line)}
.site-head .wrap{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1.75rem;min-height:3.75rem;padding-block:.5rem}
.brand{display:inline-flex;align-items:center;gap:.6rem;color:var(--text);font-weight:650;text-decoration:none;letter-spacing:-.01em;min-height:2.75rem}
.brand svg{display:block}
.site-nav ul{display:flex;flex-wrap:wrap;gap:.25rem;list-style:none}
.site-nav a{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 .75rem;border-radius:8px;color:var(--muted);text-decoration:none;font-weight:500}
.site-nav a:hover{background:var(--link-soft);color:var(--text)}.site-nav a[aria-current]{color:var(--text);box-shadow:inset 0 -2px var(--accent);border-radius:0}
main{padding-block:2.25rem 4rem}main:focus{outline:0}
.site-foot{border-top:1px solid var(--line);color:var(--muted);font-size:.875rem}
.site-foot .wrap{display:flex;flex-wrap:wrap;gap:.4rem 1.5rem;justify-content:space-between;padding-block:1.5rem}
.site-foot a{color:inherit}
.crumbs ol{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;font-size:.9rem;color:var(--muted);margin-bottom:1.1rem}
.crumbs li+li::before{content:"/";margin-right:.5rem;color:var(--line-strong)}.crumbs a{color:var(--muted)}
.lede{color:var(--muted);font-size:1.075rem;max-width:62ch;margin-top:.6rem}
.muted{color:var(--muted)}.small{font-size:.875rem}.mono,code,pre{font-family:var(--mono);font-size:.875em}
.nums{font-variant-numeric:tabular-nums}
.hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.panel{background:var(--surface);border:1px solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow);padding:1.4rem}
.panel>h2{margin-bottom:.8rem}.panel>h2:has(+.muted){margin-bottom:.3rem}.panel>h2+.muted:not(:last-child){margin-bottom:1rem}
.stack>*+*{margin-top:1.25rem}.row{display:flex;flex-wrap:wrap;align-items:center;gap:.6rem}
.chip{display:inline-flex;align-items:center;gap:.4rem;border:1px solid var(--line);border-radius:99px;padding:.14rem .7rem;font-size:.8125rem;color:var(--muted);background:var(--raised);text-decoration:none;white-space:nowrap}
a.chip:hover{border-color:var(--line-strong);color:var(--text)}
.tier{font-weight:650;border-color:currentColor;background:transparent}.tier svg{width:.8em;height:.8em}
.tier-bronze{color:var(--bronze)}.tier-silver{color:var(--silver)}.tier-gold{color:var(--gold)}.tier-platinum{color:var(--platinum)}.tier-none{color:var(--none)}.tier-suspended{color:var(--bad)}
.note{border:1px solid var(--line);border-left:4px solid var(--line-strong);border-radius:10px;background:var(--raised);padding:.8rem 1rem}
.note-warn{border-left-color:var(--warn);background:var(--warn-soft)}.note-bad{border-left-color:var(--bad);background:var(--bad-soft)}.note-good{border-left-color:var(--good);background:var(--good-soft)}
.button{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;padding:0 1.15rem;border-radius:10px;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.button:hover{filter:brightness(1.08)}.button-quiet{background:transparent;color:var(--link);border-color:var(--line-strong)}
label,.label{display:block;font-size:.8125rem;font-weight:600;color:var(--muted);margin-bottom:.3rem}
input,select{width:100%;min-height:2.75rem;font:inherit;color:var(--text);background:var(--surface);border:1px solid var(--line-strong);border-radius:10px;padding:.4rem .75rem}
table{width:100%;border-collapse:collapse;font-size:.9375rem}th,td{text-align:left;padding:.6rem .75rem .6rem 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{font-size:.8125rem;color:var(--muted);font-weight:600;white-space:nowrap}tbody tr:last-child>*{border-bottom:0}th[scope=row]{font-weight:600;white-space:nowrap}.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.scroll{overflow-x:auto}
.code-block{position:relative}.code-block .copy{position:absolute;top:.45rem;right:.45rem;min-height:2rem;padding:0 .75rem;font-size:.8125rem;background:var(--surface)}.code-block pre{padding-right:5.5rem}
pre{margin:0;background:var(--code);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;overflow-x:auto;line-height:1.5}
:not(pre)>code{background:var(--code);border-radius:5px;padding:.1em .35em}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.25rem;margin:0;font-size:.9375rem}dl.facts dt{color:var(--muted)}dl.facts dd{margin:0;min-width:0;overflow-wrap:anywhere}
details>summary{cursor:pointer;font-weight:600;min-height:2.75rem;display:flex;align-items:center;gap:.5rem;list-style:none}details>summary::-webkit-details-marker{display:none}
details>summary::before{content:"";width:.45em;height:.45em;border:solid currentColor;border-width:0 2px 2px 0;transform:rotate(-45deg);flex:none}details[open]>summary::before{transform:rotate(45deg)}
.bar{display:block;width:100%;height:8px}.bar-back{fill:var(--line)}.bar-fill{fill:var(--accent)}.bar-good{fill:var(--good)}.bar-weak{fill:var(--warn)}.bar-none{fill:var(--line-strong)}
.pages{display:flex;flex-wrap:wrap;gap:.75rem;justify-content:space-between;align-items:center;margin-top:1.5rem}

.site-menu{display:none;position:relative;margin-left:auto}.site-menu>summary{padding:0 .75rem;border:1px solid var(--line-strong);border-radius:10px;font-size:.9375rem}.site-menu nav{position:absolute;right:0;top:calc(100% + .35rem);z-index:3;min-width:13rem;background:var(--surface);border:1px solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow);padding:.4rem}.site-menu ul{flex-direction:column}.site-menu a[aria-current]{box-shadow:inset 3px 0 var(--accent)}
.brand img{display:block;width:26px;height:26px;object-fit:contain}
@media(max-width:52rem){.site-nav.wide{display:none}.site-menu{display:block}.site-head .wrap{flex-wrap:nowrap}.brand{min-width:0;overflow-wrap:anywhere}}
@media(max-width:40rem){.code-block .copy{position:static;margin-top:.5rem;width:100%;min-height:2.75rem}.code-block pre{padding-right:1rem}main{padding-block:1.5rem 3rem}.panel{padding:1.1rem}dl.facts{grid-template-columns:1fr;gap:.1rem}dl.facts dd{margin-bottom:.6rem}}
@media(prefers-reduced-motion:no-preference){a,.button,.chip{transition:background-color .12s,border-color .12s,color .12s}}
@media print{.site-nav,.site-menu,.skip{display:none}body{background:#fff}.panel{box-shadow:none}}
`.replaceAll('\n', '');
