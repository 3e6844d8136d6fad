/** For both schemes of a browser. Colours of series keep apart for colour-blind eyes too, and never stand alone. */
export const STYLE = `
:root { color-scheme: light dark; --page: #fcfcfb; --text: #0b0b0b; --soft: #52514e; --line: #e1e0d9; --band: #eb68341a;
  --blue: #2a78d6; --amber: #d99a00; --red: #c93434; --green: #177245; --p50: #86b6ef; --p95: #3987e5; --p99: #184f95; --orange: #eb6834; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1a19; --text: #ffffff; --soft: #c3c2b7; --line: #383835; --band: #d9592626;
  --blue: #3987e5; --amber: #c98500; --red: #e66767; --green: #4cba85; --p50: #256abf; --p95: #6da7ec; --p99: #cde2fb; --orange: #d95926; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 860px; padding: 32px 20px 64px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 8px; } h3 { font-size: 15px; margin: 20px 0 0; } figcaption h3 { margin: 0; }
small, .soft, figcaption p { color: var(--soft); font-weight: 400; font-size: 13px; }
p { margin: 4px 0; } code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
.verdict { display: inline-block; font-weight: 600; margin: 12px 0 4px; }
.verdict.holds, td.holds { color: var(--green); } .verdict.unclear { color: var(--amber); } .verdict.fails, td.fails { color: var(--red); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13.5px; }
.wide { overflow-x: auto; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 500; } th:first-child, td:first-child { text-align: left; white-space: normal; }
figure { margin: 20px 0 28px; } svg { display: block; width: 100%; height: auto; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 4px 0; padding: 0; font-size: 13px; color: var(--soft); }
.swatch { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; background: currentColor; }
.grid { stroke: var(--line); stroke-width: 1; } .tick { fill: var(--soft); font-size: 11px; font-family: inherit; }
.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; } .bar { fill: currentColor; } .bar.partial { opacity: .4; }
svg.spark { width: 116px; height: 30px; margin-left: auto; } .spark .line { stroke-width: 1.2; }
.on-bar { fill: var(--text); font-size: 11px; } .mark { stroke: var(--text); stroke-width: 1; stroke-dasharray: 4 3; }
.band { fill: var(--band); } .hover { fill: transparent; } .hover:hover { fill: var(--line); fill-opacity: .6; }
.blue { color: var(--blue); } .amber { color: var(--amber); } .red { color: var(--red); } .orange { color: var(--orange); }
.p50 { color: var(--p50); } .p95 { color: var(--p95); } .p99 { color: var(--p99); }
`;
