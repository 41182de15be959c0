/** CSS of the status pages, added to the shared stylesheet. */
export const statusStyle = `
:root{--partial:#a84300}@media(prefers-color-scheme:dark){:root{--partial:#ffa264}}
.now{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:.75rem 1.1rem;align-items:center;margin-top:1.5rem;padding:1.3rem 1.5rem;border-left:6px solid var(--line-strong)}
.now svg{width:2.4rem;height:2.4rem;display:block}.now p:first-child{font-size:1.3rem;font-weight:650;letter-spacing:-.015em}.now .uptime{text-align:right}.now .uptime strong{display:block;font-size:1.6rem;line-height:1.15;letter-spacing:-.03em;font-variant-numeric:tabular-nums}
.is-operational{color:var(--good)}.is-degraded_performance{color:var(--warn)}.is-partial_outage{color:var(--partial)}.is-major_outage{color:var(--bad)}.is-under_maintenance{color:var(--link)}
.now.is-operational{border-left-color:var(--good)}.now.is-degraded_performance{border-left-color:var(--warn)}.now.is-partial_outage{border-left-color:var(--partial)}.now.is-major_outage{border-left-color:var(--bad)}.now.is-under_maintenance{border-left-color:var(--link)}.now p,.now .uptime{color:var(--text)}.now .muted{color:var(--muted)}
.status-section{margin-top:2rem}.status-section>h2{margin-bottom:.8rem}
.services{list-style:none;padding:.35rem 1.5rem}.services>li{padding:1.15rem 0;border-bottom:1px solid var(--line)}.services>li:last-child{border-bottom:0}
.service-head{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:.2rem 1rem}.service-head h3{font-size:1.0625rem}
.word{display:inline-flex;align-items:center;gap:.4rem;font-weight:650;white-space:nowrap}.word svg{width:1em;height:1em;flex:none}.word::first-letter{text-transform:capitalize}
.days{display:block;width:100%;height:2.4rem;margin-top:.75rem}.days rect{fill:var(--line)}.days .d-operational{fill:var(--good)}.days .d-degraded_performance{fill:var(--warn)}.days .d-partial_outage{fill:var(--partial)}.days .d-major_outage{fill:var(--bad)}.days .d-under_maintenance{fill:var(--link)}
.days-foot{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;margin-top:.35rem;font-size:.8125rem;color:var(--muted)}.days-foot span{white-space:nowrap}
.services details{margin-top:.2rem}.services summary{font-size:.875rem;font-weight:500;color:var(--muted)}.services table{font-size:.875rem}.services td,.services th{padding-block:.35rem}
.happenings{list-style:none;display:grid;gap:.85rem}.happening:target{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
.happening h3{font-size:1.0625rem}.happening .row{margin-top:.45rem;color:var(--muted);font-size:.9375rem}
.updates{list-style:none;margin-top:.9rem;border-left:2px solid var(--line);padding-left:1rem;display:grid;gap:.75rem}.updates p{margin-top:.1rem;white-space:pre-line;overflow-wrap:anywhere}.updates .when{font-size:.8125rem;color:var(--muted)}.updates strong::first-letter{text-transform:capitalize}
.title-row{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:.3rem 1.5rem}.title-row p{color:var(--muted);font-size:.9375rem}.quiet{color:var(--muted)}.foot-note{margin-top:2rem;color:var(--muted);font-size:.9375rem}
@media(max-width:40rem){.days-foot span:nth-child(2){order:1;flex-basis:100%;text-align:center}.now{grid-template-columns:auto minmax(0,1fr);padding:1.1rem}.now .uptime{grid-column:1/-1;text-align:left;border-top:1px solid var(--line);padding-top:.75rem}.services{padding:.2rem 1.1rem}}
@media(forced-colors:active){.days rect{forced-color-adjust:none}}
`.replaceAll('\n', '');
