/** The jobs that run, and those that wait, as the first screen shows them. */
import { jobPath } from '../api.js';
import { html, useEffect, useState } from '../html.js';
import { duration, gpus, moment, secondsBetween } from '../format.js';
import { JOB_ACTIONS, steer } from '../steer.js';
import { useRows } from './rows.js';
import { JobLink, Moment, Plain, Progress, State } from './common.js';

const SECOND = 1_000;

/** Draws again each second. */
export function useClock() {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick(count => count + 1), SECOND);
    return () => clearInterval(timer);
  }, []);
}

/** The buttons of what can be done to a job now. */
export function Actions({ job, may, refresh, names }) {
  if (!may.steers) {
    return null;
  }
  return JOB_ACTIONS.filter(action => action.isFor(job) && (!names || names.includes(action.name))).map(action => html`
    <button key=${action.name} class=${action.isDangerous ? 'danger' : ''} aria-label=${`${action.word} job ${job.number}`}
      title=${action.text(job)} onClick=${() => steer(action, [job]).then(refresh)}>${action.word}</button> `);
}

function Name({ job }) {
  return html`<a class="one-line" href=${jobPath(job.number)} title=${job.name}><${Plain} text=${job.name} /></a>
    <span class="dim"><${Plain} text=${job.project} /></span>`;
}

function left(job) {
  if (job.progress?.expectedEnd) {
    return 'about ' + duration(-secondsBetween(job.progress.expectedEnd)) + ' left';
  }
  if (job.timeLimitSeconds !== null && job.ranSeconds !== null) {
    return 'at most ' + duration(job.timeLimitSeconds - job.ranSeconds) + ' left';
  }
  return '';
}

/** Jobs that run. */
export function RunningTable({ jobs, may, refresh }) {
  useClock();
  const { rowProps } = useRows(jobs, job => jobPath(job.number));
  if (jobs.length === 0) {
    return html`<p class="empty">Nothing runs.</p>`;
  }
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="Jobs that run"><table>
      <thead><tr><th>Job</th><th>Name</th><th>User</th><th>State</th><th>GPUs</th><th>Runs for</th><th>Progress</th><th class="hide-narrow"><span class="visually-hidden">What to do</span></th></tr></thead>
      <tbody>${jobs.map((job, index) => html`
        <tr key=${job.number} ...${rowProps(index)}>
          <td class="nowrap"><${JobLink} number=${job.number} /></td>
          <td><${Name} job=${job} /></td>
          <td><${Plain} text=${job.user} /></td>
          <td><${State} name=${job.state} />${job.warnings.length > 0 && html` <span title=${job.warnings.map(it => it.sentence).join('\n')}>⚠</span>`}</td>
          <td class="nowrap">${job.gpuIndices.length > 0 ? job.gpuIndices.join(', ') : '–'}</td>
          <td class="nowrap">${job.startedAt ? duration(secondsBetween(job.startedAt)) : ''}</td>
          <td class="wide"><${Progress} progress=${job.progress} /> <span class="dim nowrap">${left(job)}</span></td>
          <td class="nowrap hide-narrow"><${Actions} job=${job} may=${may} refresh=${refresh} names=${['cancel']} /></td>
        </tr>`)}
      </tbody></table></div>`;
}

function starts(job) {
  if (job.expectedStart) {
    return html`<span title="By what the jobs that run tell of their progress">about ${moment(job.expectedStart)}</span>`;
  }
  return job.latestStart ? html`<span title="If all before it run to their time limits">by ${moment(job.latestStart)}</span>` : '';
}

/** Jobs that wait, in the order of the queue. */
export function QueueTable({ jobs, may, refresh }) {
  const { rowProps } = useRows(jobs, job => jobPath(job.number));
  if (jobs.length === 0) {
    return html`<p class="empty">Nothing waits.</p>`;
  }
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="Jobs that wait"><table>
      <thead><tr><th class="number">Place</th><th>Job</th><th>Name</th><th>User</th><th class="number">GPUs</th><th>Why it waits</th><th>Starts</th><th class="hide-narrow">Submitted</th><th class="hide-narrow"><span class="visually-hidden">What to do</span></th></tr></thead>
      <tbody>${jobs.map((job, index) => html`
        <tr key=${job.number} ...${rowProps(index)}>
          <td class="number">${job.position ?? '–'}</td>
          <td class="nowrap"><${JobLink} number=${job.number}>${job.tasks && job.tasks.waiting ? `${job.number}_[${job.tasks.waiting}]` : job.number}<//></td>
          <td><${Name} job=${job} /></td>
          <td><${Plain} text=${job.user} /></td>
          <td class="number">${gpus(job.gpuMilli)}</td>
          <td class="wide">${job.state === 'HELD' && html`<${State} name="HELD" /> `}${job.sentence}</td>
          <td class="nowrap">${starts(job)}</td>
          <td class="hide-narrow"><${Moment} at=${job.submittedAt} /></td>
          <td class="nowrap hide-narrow"><${Actions} job=${job} may=${may} refresh=${refresh} names=${['hold', 'release', 'cancel']} /></td>
        </tr>`)}
      </tbody></table></div>`;
}
