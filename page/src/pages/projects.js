/** Projects, with their notes. */
import { get, post, query } from '../api.js';
import { Fragment, html, useState } from '../html.js';
import { useLive } from '../live.js';
import { Empty, Failure, Moment, Plain } from '../parts/common.js';
import { rights } from '../session.js';
import { question } from '../parts/dialog.js';
import { told } from '../steer.js';

async function load(signal) {
  return get(query('/projects', { limit: 500 }), signal);
}

async function editNotes(project) {
  const before = await get(query('/projects/notes', { project: project.project, user: project.user }));
  const values = await question({
    title: `Notes of ${project.project}`, text: 'Plain text, for you and administrators.', action: 'Keep',
    fields: [{ name: 'notes', label: 'Notes', value: before.notes, lines: 8 }], command: `berth projects notes ${project.project}`,
  });
  return values !== null && told(() => post('/projects/notes', { project: project.project, user: project.user, notes: values.notes }), 'The notes are kept.');
}

function Notes({ project, refresh }) {
  return html`<button class="link" onClick=${() => editNotes(project).then(refresh)}>${project.notes ? html`<${Plain} text=${project.notes} />` : 'Add notes'}</button>`;
}

export function Projects({ who }) {
  const { data, error, refresh } = useLive(load, 'projects', { every: 15_000 });
  const [words, setWords] = useState('');
  if (!data) {
    return error ? html`<${Failure} error=${error} retry=${refresh} />` : html`<p class="loading">Loading …</p>`;
  }
  const shown = data.projects.filter(it => it.project.toLowerCase().includes(words.toLowerCase()));
  return html`
    <${Fragment}>
      <h1 class="visually-hidden">Projects</h1>
      <div class="bar"><input type="search" class="grow" placeholder="project" aria-label="Part of a project's name" value=${words} onInput=${event => setWords(event.target.value)} /></div>
      ${shown.length === 0 ? html`<${Empty} command="berth submit scheduler . main.py --project thesis">No project. A job names one:<//>` : html`
        <div class="scroll" tabindex="0" role="region" aria-label="Projects"><table>
          <thead><tr><th>Project</th><th>User</th><th class="number">Jobs</th><th>States</th><th>Last submit</th><th>Notes</th><th><span class="visually-hidden">Compare</span></th></tr></thead>
          <tbody>${shown.map(it => html`<tr key=${it.user + '/' + it.project}>
            <td><a href=${query('/jobs', { project: it.project, user: it.user })}><${Plain} text=${it.project} /></a></td><td><${Plain} text=${it.user} /></td>
            <td class="number">${it.jobs}</td><td>${Object.entries(it.states).map(([state, n]) => `${n} ${state}`).join(', ')}</td><td><${Moment} at=${it.lastSubmittedAt} /></td>
            <td>${rights(who).steers ? html`<${Notes} project=${it} refresh=${refresh} />` : it.notes}</td>
            <td><a href=${query('/compare', { project: it.project })}>Compare</a></td></tr>`)}</tbody></table></div>`}
    <//>`;
}
