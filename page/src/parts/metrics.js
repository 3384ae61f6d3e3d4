/** What a job told: its curves, parameters and tags. */
import { get, jobPath, query } from '../api.js';
import { html, useMemo } from '../html.js';
import { count, value } from '../format.js';
import { useLive } from '../live.js';
import { setQuery, useRoute } from '../route.js';
import { rights } from '../session.js';
import { hasEnded } from '../steer.js';
import { Chart, smoothed } from './chart.js';
import { Empty, Failure } from './common.js';
import { tagJobs } from './tags.js';

const WIDTH = 400;
const AT_ONCE = 24;

/** A curve of a job's metric for {@link Chart}. */
async function curve(number, metric, signal, label) {
  const list = await get(query(jobPath(number, '/points'), { metric, width: WIDTH }), signal);
  const points = list.points.filter(it => typeof it.value === 'number').sort((a, b) => a.step - b.step);
  return { label, steps: points.map(it => it.step), times: points.map(it => Date.parse(it.time) / 1000), ys: points.map(it => it.value) };
}

/** The curves of several jobs' metric; those that have none are left out. */
export async function curves(numbers, metric, signal) {
  const all = await Promise.allSettled(numbers.map(it => curve(it, metric, signal, 'job ' + it)));
  return all.flatMap(it => (it.status === 'fulfilled' ? [it.value] : []));
}

function Metric({ job, metric, weight, isLog, isTime, others }) {
  const numbers = [job.number, ...others];
  const { data, error } = useLive(signal => curves(numbers, metric.name, signal), [metric.name, metric.count, ...numbers].join(), { every: 0, isLive: false });
  const drawn = useMemo(() => (data ?? []).map(it => ({ label: it.label, xs: isTime ? it.times : it.steps, ys: smoothed(it.ys, weight) })), [data, weight, isTime]);
  return html`
    <article class="chart"><h2>${metric.name}<span class="dim">last ${value(metric.last.value)}${metric.min ? `, ${value(metric.min.value)} to ${value(metric.max.value)}` : ''}, ${count(metric.count, 'point')}</span></h2>
      <${Failure} error=${error} />
      ${drawn.length > 0 && html`<${Chart} curves=${drawn} isLog=${isLog} isTime=${isTime} label=${`${metric.name}: last ${value(metric.last.value)}`} />`}
    </article>`;
}

export function Metrics({ job, who }) {
  const { query: view } = useRoute();
  const { data, error, refresh } = useLive(signal => get(jobPath(job.number, '/tracking'), signal), 'tracking ' + job.number, { every: hasEnded(job) ? 0 : 2_000 });
  if (!data) {
    return error ? html`<${Failure} error=${error} retry=${refresh} />` : html`<p class="loading">Loading …</p>`;
  }
  const weight = Number(view.get('smooth') ?? 0);
  const isLog = view.has('log');
  const isTime = view.has('time');
  const others = (view.get('with') ?? '').split(',').map(it => it.trim()).filter(Boolean).slice(0, 7);
  const wanted = (view.get('metric') ?? '').toLowerCase();
  const metrics = data.metrics.filter(it => it.name.toLowerCase().includes(wanted));
  const params = Object.entries(data.params);
  const tags = Object.entries(data.tags);
  return html`
    <div class="bar">
      <input type="search" placeholder="metric" aria-label="Part of a metric's name" value=${view.get('metric') ?? ''} onInput=${event => setQuery({ metric: event.target.value })} />
      <label>Smoothing <input type="range" min="0" max="0.99" step="0.01" value=${weight} onInput=${event => setQuery({ smooth: event.target.value === '0' ? null : event.target.value })} /></label>
      <button aria-pressed=${isLog} onClick=${() => setQuery({ log: !isLog })}>Log axis</button>
      <button aria-pressed=${isTime} onClick=${() => setQuery({ time: !isTime })}>By time</button>
      <input type="text" size="14" placeholder="with jobs: 41,42" aria-label="Other jobs whose curves are drawn beside" value=${view.get('with') ?? ''} onChange=${event => setQuery({ with: event.target.value })} />
    </div>
    ${data.warnings.map(it => html`<p class="banner" key=${it}>${it}</p>`)}
    ${data.metrics.length === 0
      ? html`<${Empty} command=${'echo \'{"metric":"loss","value":0.3,"step":1}\' >> "$BERTH_TRACK"'}>It has told no metric. A program appends a line to the file that BERTH_TRACK names:<//>`
      : html`<div class="charts">${metrics.slice(0, AT_ONCE).map(it => html`<${Metric} key=${it.name} job=${job} metric=${it} weight=${weight} isLog=${isLog} isTime=${isTime} others=${others} />`)}</div>`}
    ${metrics.length > AT_ONCE && html`<p class="dim">${count(metrics.length - AT_ONCE, 'more metric')}: name a part above.</p>`}
    <div class="columns">
      ${params.length > 0 && html`<section><h2>Parameters</h2><dl class="facts">${params.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl></section>`}
      <section><h2>Tags ${rights(who).steers && html`<button class="link" onClick=${() => tagJobs([job]).then(refresh)}>Add</button>`}</h2>
        ${tags.length === 0 ? html`<p class="dim">None.</p>` : html`<div class="chips">${tags.map(([name, text]) => html`<span class="chip" key=${name}>${name}${text ? ' = ' + text : ''}</span>`)}</div>`}</section>
    </div>`;
}
