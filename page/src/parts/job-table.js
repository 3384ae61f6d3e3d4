/** The table of jobs. */
import { jobPath } from '../api.js';
import { html, useMemo, useRef } from '../html.js';
import { duration, gpus, value } from '../format.js';
import { Moment, JobLink, Plain, State } from './common.js';
import { useRows } from './rows.js';
import { ROW, useVisibleRows } from './visible-rows.js';

/** The columns; `by` is the server's name of the order by it. */
const COLUMNS = [
  { name: 'job', word: 'Job', by: 'id', of: job => job.id },
  { name: 'name', word: 'Name', by: 'name', of: job => job.name },
  { name: 'project', word: 'Project', by: 'project', of: job => job.project },
  { name: 'user', word: 'User', by: 'user', of: job => job.user },
  { name: 'state', word: 'State', by: 'state', of: job => job.state },
  { name: 'gpus', word: 'GPUs', by: 'gpus', of: job => job.gpuMilli, isNumber: true },
  { name: 'ran', word: 'Ran for', by: 'duration', of: job => job.ranSeconds ?? -1, isNumber: true },
  { name: 'submitted', word: 'Submitted', by: 'submitted', of: job => job.submittedAt },
];

/** What a job told under a name: a number where it is one. */
function told(job, column) {
  const text = job.values?.[column];
  return text === undefined || text === '' ? null : Number.isNaN(Number(text)) ? text : Number(text);
}

function compare(a, b) {
  if (a === null || b === null) {
    return a === b ? 0 : a === null ? 1 : -1;
  }
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

/** What the column of a view's order is, and whether the greatest comes first. */
function sortOf(view) {
  const sort = view.get('sort') ?? '';
  const isDown = sort.startsWith('-');
  return { name: isDown ? sort.slice(1) : sort, isDown };
}

/** The order that the server is asked for: nothing where the view has none, or the server does not know it. */
export function order(view) {
  const { name, isDown } = sortOf(view);
  const by = view.get('array') || view.get('best') ? null : COLUMNS.find(it => it.name === name)?.by;
  return by ? { sort: by, order: isDown ? 'desc' : 'asc' } : {};
}

/** What the server did not sort, by what is loaded of it: tasks, and what jobs told. */
function sorted(jobs, view, columns, isLocal) {
  const { name, isDown } = sortOf(view);
  if (name === '' || (!isLocal && order(view).sort)) {
    return jobs;
  }
  const of = COLUMNS.find(it => it.name === name)?.of ?? (columns.includes(name) ? job => told(job, name) : null);
  return of ? [...jobs].sort((a, b) => (isDown ? -1 : 1) * compare(of(a), of(b))) : jobs;
}

function Head({ name, word, isNumber, sort, change }) {
  const isThis = sort === name || sort === '-' + name;
  const next = sort === name ? '-' + name : sort === '-' + name ? null : name;
  return html`<th class=${isNumber ? 'number' : ''} aria-sort=${isThis ? (sort === name ? 'ascending' : 'descending') : 'none'}>
    <button onClick=${() => change({ sort: next })}>${word}${isThis ? (sort === name ? ' ↑' : ' ↓') : ''}</button></th>`;
}

function tasksInWords(tasks) {
  return Object.entries(tasks.states).filter(([, n]) => n > 0).map(([state, n]) => `${n} ${state}`).join(', ');
}

/** A table of jobs; `isLocal` where the server was not asked for the view's order. */
export function JobTable({ jobs, columns, selected, toggle, view, change, isLocal }) {
  const sort = view.get('sort');
  const shown = useMemo(() => sorted(jobs, view, columns, isLocal), [jobs, view.toString()]);
  const { rowProps } = useRows(shown, job => jobPath(job.number), toggle);
  const body = useRef(null);
  const { first, last } = useVisibleRows(body, shown.length);
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="Table of jobs"><table class="even" aria-rowcount=${shown.length + 1}>
      <thead><tr><th><span class="visually-hidden">Selected</span></th>
        ${COLUMNS.map(it => html`<${Head} key=${it.name} ...${it} sort=${sort} change=${change} />`)}
        ${columns.map(name => html`<${Head} key=${'told ' + name} name=${name} word=${name} isNumber=${true} sort=${sort} change=${change} />`)}
        <th>How it stands</th></tr></thead>
      <tbody ref=${body}>
        ${first > 0 && html`<tr key="before" style=${{ height: first * ROW + 'px' }}></tr>`}
        ${shown.slice(first, last).map((job, at) => html`<${Row} key=${job.number} job=${job} columns=${columns} selected=${selected} toggle=${toggle}
          index=${first + at} rowProps=${rowProps(first + at)} />`)}
        ${last < shown.length && html`<tr key="after" style=${{ height: (shown.length - last) * ROW + 'px' }}></tr>`}
      </tbody></table></div>`;
}

function Row({ job, columns, selected, toggle, index, rowProps }) {
  return html`
    <tr ...${rowProps} aria-rowindex=${index + 2}>
      <td><input type="checkbox" checked=${selected.has(job.number)} aria-label=${'Select job ' + job.number} onChange=${() => toggle(job)} /></td>
      <td><${JobLink} number=${job.number} />${job.tasks && html` <a href=${'/jobs?array=' + job.id} title="Show its tasks">▸${job.tasks.count}</a>`}</td>
      <td><span class="one-line" title=${job.name}><${Plain} text=${job.name} />${job.tags.map(tag => html` <span class="chip" key=${tag}>${tag}</span>`)}</span></td>
      <td><span class="one-line"><${Plain} text=${job.project} /></span></td>
      <td><${Plain} text=${job.user} /></td>
      <td><${State} name=${job.state} /></td>
      <td class="number">${gpus(job.gpuMilli)}</td>
      <td class="number">${duration(job.ranSeconds)}</td>
      <td><${Moment} at=${job.submittedAt} /></td>
      ${columns.map(name => html`<td class="number" key=${'told ' + name} title=${job.values?.[name] ?? ''}>${value(told(job, name))}</td>`)}
      <td><span class="one-line" title=${job.sentence}>${job.tasks ? tasksInWords(job.tasks) : job.sentence}</span></td>
    </tr>`;
}
