/** What a job wrote: its directories, and a look at a file. Nothing in a file is ever run. */
import { address, get, jobPath, query } from '../api.js';
import { html } from '../html.js';
import { bytes } from '../format.js';
import { useLive } from '../live.js';
import { setQuery, useRoute } from '../route.js';
import { hasEnded } from '../steer.js';
import { Failure, Moment, Plain } from './common.js';
import { Preview } from './preview.js';

function join(directory, name) {
  return directory === '' ? name : directory + '/' + name;
}

function Path({ path }) {
  const parts = path === '' ? [] : path.split('/');
  return html`<p><button class="link" onClick=${() => setQuery({ dir: null, file: null })}>output</button>${parts.map((part, at) => html`
    / <button class="link" key=${at} onClick=${() => setQuery({ dir: parts.slice(0, at + 1).join('/'), file: null })}><${Plain} text=${part} /></button>`)}</p>`;
}

function Row({ job, file, path }) {
  const open = () => setQuery(file.type === 'directory' ? { dir: path, file: null } : { file: path });
  return html`<tr>
    <td>${file.type === 'link' ? html`<${Plain} text=${file.name} /> <span class="dim">(a link)</span>`
      : html`<button class="link" onClick=${open}><${Plain} text=${file.name + (file.type === 'directory' ? '/' : '')} /></button>`}</td>
    <td class="number">${bytes(file.bytes)}</td><td><${Moment} at=${file.changedAt} /></td>
    <td><a href=${address(query(jobPath(job.number, '/output'), { path }))} download=${`job-${job.number}-${file.name}.tar`} aria-label=${file.name + ' as tar'}>as tar</a></td></tr>`;
}

export function Files({ job }) {
  const { query: view } = useRoute();
  const directory = view.get('dir') ?? '';
  const file = view.get('file');
  const { data, error, refresh } = useLive(signal => get(query(jobPath(job.number, '/files'), { path: directory }), signal),
    job.number + '/' + directory, { every: hasEnded(job) ? 0 : 5_000, isLive: !hasEnded(job) });
  return html`
    <${Path} path=${directory} />
    <${Failure} error=${error} retry=${refresh} />
    ${data && html`
      <div class="scroll" tabindex="0" role="region" aria-label="Files"><table>
        <thead><tr><th>Name</th><th class="number">Size</th><th>Changed</th><th><span class="visually-hidden">Download</span></th></tr></thead>
        <tbody>${data.files.map(it => html`<${Row} key=${it.name} job=${job} file=${it} path=${join(directory, it.name)} />`)}</tbody></table></div>
      ${data.files.length === 0 && html`<p class="empty">Nothing here.</p>`}
      ${data.more && html`<p class="dim">There are more than these.</p>`}`}
    ${file && html`<${Preview} key=${file} job=${job} path=${file} />`}
    <p class="dim">On the command line: <code>berth get ${job.number}</code></p>`;
}
