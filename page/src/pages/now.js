/** The first screen: the GPUs, what runs, and the queue in its order. */
import { get, query } from '../api.js';
import { Fragment, html } from '../html.js';
import { count, relative } from '../format.js';
import { useLive } from '../live.js';
import { Empty, Failure } from '../parts/common.js';
import { GpuTile } from '../parts/gpu-tile.js';
import { QueueTable, RunningTable } from '../parts/now-tables.js';
import { rights } from '../session.js';
import { pause } from '../steer.js';

const SHOWN = 100;
const RUNS = new Set(['STARTING', 'RUNNING', 'STOPPING']);

function Warnings({ server, mayPause, refresh }) {
  return html`
    <${Fragment}>
      ${server.paused && html`<p class="banner">The queue is paused by ${server.paused.by} ${relative(server.paused.since)}: nothing new is started.
        ${mayPause && html` <button onClick=${() => pause(true).then(refresh)}>Resume</button>`}</p>`}
      ${server.engineOutage && html`<p class="banner bad">${server.engineOutage.sentence} (${relative(server.engineOutage.since)})</p>`}
      ${server.simulated && html`<p class="banner">These GPUs are simulated: jobs start, but no CUDA runs.</p>`}
      ${server.warnings.map(it => html`<p class="banner" key=${it}>${it}</p>`)}
      ${server.failingTasks.map(it => html`<p class="banner bad" key=${it.task}>${it.task} fails ${relative(it.since)}: ${it.sentence}</p>`)}
    <//>`;
}

function load(signal) {
  return get(query('/overview', { seconds: 1, limit: SHOWN }), signal);
}

/** The last hour of each GPU, a value a minute. */
async function hours(gpus, signal) {
  const all = await Promise.all(gpus.map(gpu => get(query(`/gpus/${gpu.uuid}/history`, { resolution: 'minutes', last: 60 }), signal)));
  return new Map(all.map(history => [history.uuid, history]));
}

export function Now({ who, isWall }) {
  const { data, error, refresh } = useLive(load, 'overview');
  const uuids = data?.server.gpus.map(gpu => gpu.uuid).join(' ') ?? '';
  const history = useLive(signal => hours(data?.server.gpus ?? [], signal), 'hours ' + uuids, { every: 60_000 });
  const may = rights(who);
  if (!data) {
    return error ? html`<${Failure} error=${error} retry=${refresh} />` : html`<p class="loading">Loading …</p>`;
  }
  const { server, jobs } = data;
  const running = jobs.jobs.filter(job => RUNS.has(job.state));
  const waiting = jobs.jobs.filter(job => !RUNS.has(job.state));
  const states = Object.fromEntries(server.jobs.map(it => [it.state, it.jobs]));
  const waits = (states.QUEUED ?? 0) + (states.HELD ?? 0);
  return html`
    <${Fragment}>
      ${error && html`<p class="banner bad" role="alert">What is shown is not the newest: ${error.message}</p>`}
      <${Warnings} server=${server} mayPause=${may.administers} refresh=${refresh} />
      <h1 class="visually-hidden">What happens now</h1>
      <h2>GPUs <span class="count">${free(server.gpus)} of ${server.gpus.length} free</span></h2>
      ${server.gpus.length === 0
        ? html`<${Empty} command="berth server start -g">This server allocates no GPUs. Started with -g it allocates those of its machine:<//>`
        : html`<div class="tiles">${server.gpus.map(gpu => html`<${GpuTile} key=${gpu.uuid} gpu=${gpu}
            history=${history.data?.get(gpu.uuid)} canSteer=${may.administers && !isWall} refresh=${refresh} />`)}</div>`}
      <h2>Running <span class="count">${count(running.length, 'job')}</span></h2>
      <${RunningTable} jobs=${running} may=${isWall ? {} : may} refresh=${refresh} />
      <h2>Queue <span class="count">${count(waits, 'job')}, first in, first out</span>
        ${may.administers && !isWall && !server.paused && html`<button class="link" onClick=${() => pause(false).then(refresh)}>Pause</button>`}</h2>
      ${jobs.jobs.length === 0 && !server.jobs.some(it => it.jobs > 0)
        ? html`<${Empty} command="berth submit scheduler . main.py --num-gpus 1">No job yet. In a directory with a program:<//>`
        : html`<${QueueTable} jobs=${waiting} may=${isWall ? {} : may} refresh=${refresh} />`}
      ${jobs.next !== null && html`<p><a href="/jobs?scope=active">Show all that wait</a></p>`}
    <//>`;
}

function free(gpus) {
  return gpus.filter(gpu => gpu.holders.length === 0 && !gpu.drain && !gpu.obstacle && !gpu.cleaning).length;
}
