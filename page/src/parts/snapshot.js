/** What was submitted: the commit, what differed from it, and the files. */
import { jobPath, open } from '../api.js';
import { html, useEffect, useState } from '../html.js';
import { Failure } from './common.js';

function lineKind(line) {
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith('@@') ? 'place' : '';
}

export function Snapshot({ job }) {
  const [diff, setDiff] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    if (job.git?.diff) {
      open('GET', jobPath(job.number, '/diff'), { headers: { Accept: '*/*' } }).then(answer => answer.text()).then(setDiff, setError);
    }
  }, [job.number]);
  return html`
    <dl class="facts">
      <dt>Snapshot</dt><dd><code>${job.snapshot}</code></dd>
      ${job.git && html`<dt>Commit</dt><dd><code>${job.git.commit}</code>${job.git.branch ? ' on ' + job.git.branch : ''}</dd>
        <dt>Uncommitted</dt><dd>${job.git.dirty ? 'yes' : 'nothing'}</dd>`}
    </dl>
    <${Failure} error=${error} />
    ${diff !== null && html`<h2>What differed from the commit</h2><pre class="diff" tabindex="0">${diff.split('\n').map((line, at) => html`<span key=${at} class=${lineKind(line)}>${line + '\n'}</span>`)}</pre>`}`;
}
