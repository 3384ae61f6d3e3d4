/** What was submitted: the commit, what differed from it, and the files. */
import { address, get, jobPath, open, query } from '../api.js';
import { html, useEffect, useState } from '../html.js';
import { bytes } from '../format.js';
import { Failure, Plain } from './common.js';

function lineKind(line) {
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith('@@') ? 'place' : '';
}

/** The files that were sent, a page at a time: the directory may have very many. */
function SentFiles({ job }) {
  const [{ files, next }, setShown] = useState({ files: [], next: 0 });
  const [error, setError] = useState(null);
  const more = () => get(query(jobPath(job.number, '/snapshot'), { cursor: next || null })).then(page => {
    setError(null);
    setShown({ files: [...files, ...page.files], next: page.next });
  }, setError);
  useEffect(() => { more(); }, [job.number]);
  return html`
    <h2>Files</h2>
    <p><a class="button" href=${address(jobPath(job.number, '/snapshot/archive'))} download=${`job-${job.number}-snapshot.tar`}>Download all as tar</a>
      <span class="dim"> On the command line: <code>berth get ${job.number} --snapshot</code></span></p>
    <${Failure} error=${error} retry=${more} />
    ${files.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Submitted files"><table>
      <thead><tr><th>Path</th><th class="number">Size</th><th>Kind</th></tr></thead>
      <tbody>${files.map(it => html`<tr key=${it.path}><td><${Plain} text=${it.path} /></td><td class="number">${it.bytes === null ? '' : bytes(it.bytes)}</td>
        <td>${it.target !== null ? html`link to <${Plain} text=${it.target} />` : it.executable ? 'program' : 'file'}</td></tr>`)}</tbody></table></div>`}
    ${files.length === 0 && next === null && html`<p class="empty">The directory was empty.</p>`}
    ${files.length > 0 && next !== null && html`<button onClick=${more}>Show more</button>`}`;
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
    ${!job.host && html`<${SentFiles} job=${job} />`}
    ${diff !== null && html`<h2>What differed from the commit</h2><pre class="diff" tabindex="0">${diff.split('\n').map((line, at) => html`<span key=${at} class=${lineKind(line)}>${line + '\n'}</span>`)}</pre>`}`;
}
