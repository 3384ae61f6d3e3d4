/** Jobs side by side: what differs, how it goes together, and their curves over each other. */
import { Fragment, html, useMemo, useState } from '../html.js';
import { count, value } from '../format.js';
import { useLive } from '../live.js';
import { Chart, smoothed } from '../parts/chart.js';
import { Empty, Failure, JobLink, Plain, State } from '../parts/common.js';
import { curves } from '../parts/metrics.js';
import { isChosen, Parallel } from '../parts/parallel.js';
import { Scatter } from '../parts/scatter.js';
import { setQuery, useRoute } from '../route.js';
import { columns, ofProject, runs } from '../runs.js';

const MAX_CURVES = 12;

async function load(view, signal) {
  const named = (view.get('jobs') ?? '').split(/[\s,]+/).filter(Boolean);
  const numbers = named.length > 0 ? named : view.get('project') ? await ofProject(view.get('project'), signal) : [];
  return numbers.length === 0 ? [] : runs(numbers, signal);
}

function Choice({ label, name, all, chosen }) {
  return html`<label>${label} <select value=${chosen?.name} onChange=${event => setQuery({ [name]: event.target.value })}>
    ${all.map(it => html`<option key=${it.kind + it.name} value=${it.name}>${it.name}</option>`)}</select></label>`;
}

/** The table of what differs, the best first by the column that is chosen. */
function Differences({ all, cols, sort }) {
  const by = cols.find(it => it.name === sort.replace(/^-/, ''));
  const rows = by
    ? [...all].sort((a, b) => (sort.startsWith('-') ? -1 : 1) * ((by.of(a) ?? -Infinity) > (by.of(b) ?? -Infinity) ? 1 : -1))
    : all;
  const head = column => {
    const next = sort === '-' + column.name ? column.name : '-' + column.name;
    const mark = sort === column.name ? ' ↑' : sort === '-' + column.name ? ' ↓' : '';
    return html`<th key=${column.kind + column.name} class="number" aria-sort=${mark === ' ↑' ? 'ascending' : mark ? 'descending' : 'none'}><button onClick=${() => setQuery({ sort: next })}>${column.name}${mark}</button></th>`;
  };
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="What differs"><table>
      <thead><tr><th>Job</th><th>Name</th><th>State</th>${cols.map(head)}</tr></thead>
      <tbody>${rows.map(run => html`<tr key=${run.number}><td><${JobLink} number=${run.number} /></td><td><span class="one-line"><${Plain} text=${run.name} /></span></td><td><${State} name=${run.state} /></td>
        ${cols.map(column => html`<td key=${column.kind + column.name} class="number">${column.of(run) === null ? '–' : value(column.of(run))}</td>`)}</tr>`)}</tbody></table></div>`;
}

function Curves({ all, metric, weight }) {
  const numbers = all.slice(0, MAX_CURVES).map(it => it.number);
  const { data } = useLive(signal => curves(numbers, metric, signal), metric + numbers.join(), { every: 0, isLive: false });
  const drawn = useMemo(() => (data ?? []).map(it => ({ label: it.label, xs: it.steps, ys: smoothed(it.ys, weight) })), [data, weight]);
  return html`<div class="chart"><h3>${metric}${all.length > MAX_CURVES ? html`<span class="dim">the first ${MAX_CURVES} of ${all.length}</span>` : ''}</h3>
    ${drawn.length > 0 && html`<${Chart} curves=${drawn} label=${metric + ' of ' + count(drawn.length, 'job')} />`}</div>`;
}

export function Compare() {
  const { query: view } = useRoute();
  const key = (view.get('jobs') ?? '') + '|' + (view.get('project') ?? '');
  const { data, error, refresh } = useLive(signal => load(view, signal), key);
  const [ranges, setRanges] = useState({});
  const all = data ?? [];
  const cols = useMemo(() => columns(all, true), [data]);
  const metrics = useMemo(() => columns(all, false).filter(it => it.kind === 'metric'), [data]);
  const chosen = all.filter(run => isChosen(run, cols, ranges, all));
  const pick = (name, otherwise) => cols.find(it => it.name === view.get(name)) ?? otherwise;
  const across = pick('x', cols[0]);
  const up = pick('y', cols.findLast(it => it.kind === 'metric') ?? cols.at(-1));
  const metric = metrics.find(it => it.name === view.get('metric')) ?? metrics[0];
  return html`
    <${Fragment}>
      <h1 class="visually-hidden">Compare</h1>
      <form class="bar" onSubmit=${event => event.preventDefault()}>
        <input type="text" class="grow" aria-label="Jobs to compare" placeholder="jobs: 41, 42, or an array: 50" value=${view.get('jobs') ?? ''} onChange=${event => setQuery({ jobs: event.target.value })} />
        <input type="text" aria-label="Project to compare" placeholder="or a project" value=${view.get('project') ?? ''} onChange=${event => setQuery({ project: event.target.value })} />
      </form>
      <${Failure} error=${error} retry=${refresh} />
      ${!data && !error && html`<p class="loading">Loading …</p>`}
      ${data && all.length === 0 && html`<${Empty} command="berth compare 41 42">Name jobs, an array or a project above, or select jobs in <a href="/jobs">Jobs</a>. On the command line:<//>`}
      ${all.length > 0 && html`
        <p>${count(chosen.length, 'run')}${chosen.length < all.length ? html` of ${all.length} chosen <button onClick=${() => setRanges({})}>Choose all</button>` : ''}</p>
        ${cols.length > 1 && all.length > 1 && html`<${Parallel} all=${all} columns=${cols} ranges=${ranges} brush=${(name, range) => setRanges(before => ({ ...before, [name]: range }))} />`}
        <h2>What differs</h2>
        ${cols.length === 0 ? html`<p class="empty">They told the same, or nothing.</p>` : html`<${Differences} all=${chosen} cols=${cols} sort=${view.get('sort') ?? ''} />`}
        <div class="columns">
          ${across && up && html`<section><h2>One against another</h2><div class="bar"><${Choice} label="across" name="x" all=${cols} chosen=${across} /><${Choice} label="up" name="y" all=${cols} chosen=${up} /></div><${Scatter} all=${chosen} across=${across} up=${up} /></section>`}
          ${metric && html`<section><h2>Curves</h2><div class="bar"><${Choice} label="metric" name="metric" all=${metrics} chosen=${metric} /></div><${Curves} all=${chosen} metric=${metric.name} weight=${Number(view.get('smooth') ?? 0)} /></section>`}
        </div>`}
    <//>`;
}
