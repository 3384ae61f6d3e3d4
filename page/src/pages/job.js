/** A job: where it stands, what it wrote, what it told, and what happened to it. */
import { get, jobPath } from '../api.js';
import { Fragment, html, useState } from '../html.js';
import { useLive } from '../live.js';
import { Actions } from '../parts/now-tables.js';
import { Failure, Plain, Progress, State } from '../parts/common.js';
import { Events } from '../parts/events.js';
import { Facts } from '../parts/facts.js';
import { Files } from '../parts/files.js';
import { LogView } from '../parts/log-view.js';
import { Metrics } from '../parts/metrics.js';
import { isForRerun, rerun } from '../parts/rerun.js';
import { Snapshot } from '../parts/snapshot.js';
import { Tasks } from '../parts/tasks.js';
import { useRoute } from '../route.js';
import { rights } from '../session.js';
import { command, JOB_ACTIONS } from '../steer.js';

/** The parts of the page that a job has: an array has tasks, and its tasks have the rest. */
function tabs(job) {
  const isArray = job.tasks !== null;
  return [
    ['', 'Overview', Facts],
    isArray && ['tasks', 'Tasks', Tasks],
    !isArray && !job.host && ['log', 'Log', LogView],
    !isArray && ['metrics', 'Metrics', Metrics],
    !isArray && ['files', 'Output', Files],
    ['snapshot', 'Snapshot', Snapshot],
    ['events', 'Events', Events],
  ].filter(Boolean);
}

/** The command line's words for what can be done now. */
function Commands({ job }) {
  const [isShown, show] = useState(false);
  const lines = [
    `berth status ${job.number}`, `berth explain ${job.number}`, `berth logs -f ${job.number}`,
    ...JOB_ACTIONS.filter(it => it.isFor(job)).map(it => command(it.name, [job])), `berth get ${job.number}`,
  ];
  return html`<button aria-expanded=${isShown} onClick=${() => show(!isShown)}>As commands</button>
    ${isShown && html`<pre>${lines.join('\n')}</pre>`}`;
}

export function Job({ who, number }) {
  const { query: view } = useRoute();
  const { data, error, refresh } = useLive(async signal => {
    const [job, explanation] = await Promise.all([get(jobPath(number), signal), get(jobPath(number, '/explanation'), signal)]);
    return { job, explanation };
  }, number);
  if (!data) {
    return error
      ? html`<h1>Job ${number}</h1><${Failure} error=${error} retry=${refresh} /><p><a href="/jobs">All jobs</a></p>`
      : html`<p class="loading">Loading …</p>`;
  }
  const { job, explanation } = data;
  const all = tabs(job);
  const [chosen, , Part] = all.find(([name]) => name === (view.get('tab') ?? '')) ?? all[0];
  const base = jobPath(number);
  return html`
    <${Fragment}>
      ${error && html`<p class="banner bad" role="alert">What is shown is not the newest: ${error.message}</p>`}
      <div class="title"><h1>Job ${job.number}</h1><${State} name=${job.state} /><${Plain} text=${job.name} />
        <span class="dim">of <${Plain} text=${job.user} /> in <a href=${'/jobs?project=' + encodeURIComponent(job.project)}><${Plain} text=${job.project} /></a>${job.target
          && html` at <${Plain} text=${job.target + (job.targetKind ? ` (${job.targetKind})` : '')} />`}</span>
      </div>
      <p class="sentence">${explanation.sentence}</p>
      ${explanation.help && html`<p class="sentence dim">${explanation.help}</p>`}
      ${job.warnings.map(it => html`<p class="banner" key=${it.code + it.since}>${it.sentence}</p>`)}
      ${job.state === 'RUNNING' && html`<${Progress} progress=${job.progress} />`}
      <div class="bar"><${Actions} job=${job} may=${rights(who)} refresh=${refresh} />
        ${rights(who).steers && job.user === who.name && isForRerun(job) && html`<button onClick=${() => rerun(job)}>Run again with changes</button>`}
        <${Commands} job=${job} /></div>
      <nav class="tabs" aria-label="Parts of the job">
        ${all.map(([name, word]) => html`<a key=${name} href=${base + (name ? '?tab=' + name : '')} aria-current=${name === chosen ? 'page' : null}>${word}</a>`)}
      </nav>
      <${Part} key=${chosen} job=${job} explanation=${explanation} who=${who} refresh=${refresh} />
    <//>`;
}
