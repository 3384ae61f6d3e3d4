/** All jobs: a table that is filtered, sorted and scrolled through; the view is in the address. */
import { get, query } from '../api.js';
import { Fragment, html, useEffect, useRef, useState } from '../html.js';
import { count } from '../format.js';
import { useKeys } from '../keys.js';
import { listen } from '../live.js';
import { Empty, Failure } from '../parts/common.js';
import { Filters } from '../parts/filters.js';
import { JobTable, order } from '../parts/job-table.js';
import { PagedList, usePages } from '../parts/pages.js';
import { go, setQuery, useRoute } from '../route.js';
import { rights } from '../session.js';
import { JOB_ACTIONS, steer } from '../steer.js';
import { tagJobs } from '../parts/tags.js';

const PAGE = 200;

/** The path that answers what the address of the page asks for. */
function source(view, cursor) {
  const isTold = view.get('where') || view.get('best');
  const common = {
    scope: view.get('scope') ?? 'all', state: view.get('state'), user: view.get('user'), project: view.get('project'),
    text: view.get('text'), tag: view.get('tag'), array: view.get('array'), columns: view.get('columns'), limit: PAGE,
  };
  if (isTold) {
    const best = view.get('best');
    return query('/tracked', {
      ...common, where: view.get('where'), cursor: best ? null : cursor,
      ...(best ? { best, order: view.get('order') ?? 'max' } : order(view)),
    });
  }
  return query('/jobs', { ...common, tasks: Boolean(view.get('array')), cursor, ...order(view) });
}

/** What can be done to all jobs that are selected. */
function Selection({ jobs, clear, refresh }) {
  const numbers = jobs.map(job => job.number).join(',');
  return html`
    <div class="bar" role="toolbar" aria-label="What to do with the selected jobs">
      <strong>${count(jobs.length, 'job')} selected</strong>
      ${JOB_ACTIONS.map(action => {
        const fitting = jobs.filter(action.isFor);
        return fitting.length > 0 && html`<button key=${action.name} class=${action.isDangerous ? 'danger' : ''}
          onClick=${() => steer(action, fitting).then(refresh)}>${action.word}${fitting.length < jobs.length ? ` (${fitting.length})` : ''}</button>`;
      })}
      <button onClick=${() => tagJobs(jobs).then(refresh)}>Tag</button>
      <button onClick=${() => go('/compare?jobs=' + encodeURIComponent(numbers))}>Compare</button>
      <button onClick=${clear}>Select none</button>
    </div>`;
}

export function Jobs({ who }) {
  const { query: view } = useRoute();
  const filter = useRef(null);
  const [selected, setSelected] = useState(new Map());
  const key = view.toString();
  const pages = usePages(cursor => get(source(view, cursor)), key);
  const [isStale, setStale] = useState(false);
  useEffect(() => listen(event => event && setStale(true)), []);
  useEffect(() => {
    if (isStale && scrollY < 200 && !pages.isLoading) {
      setStale(false);
      pages.renew();
    }
  }, [isStale, pages.isLoading]);
  useKeys({ '/': () => filter.current?.focus() });
  const refresh = () => pages.renew();
  const toggle = job => setSelected(before => {
    const next = new Map(before);
    if (!next.delete(job.number)) {
      next.set(job.number, job);
    }
    return next;
  });
  const jobs = pages.items;
  const chosen = jobs.filter(job => selected.has(job.number));
  return html`
    <${Fragment}>
      <h1 class="visually-hidden">Jobs</h1>
      <${Filters} view=${view} change=${setQuery} focus=${filter} />
      ${isStale && html`<p class="banner" role="status">Something has changed. <button onClick=${() => { setStale(false); refresh(); }}>Show the newest</button></p>`}
      ${chosen.length > 0 && rights(who).steers && html`<${Selection} jobs=${chosen} clear=${() => setSelected(new Map())} refresh=${refresh} />`}
      <${Failure} error=${pages.error} retry=${refresh} />
      ${jobs.length === 0 && !pages.isLoading && !pages.error && (pages.next === null || pages.next === undefined)
        ? key === ''
          ? html`<${Empty} command="berth submit scheduler . main.py --num-gpus 1">No job yet. In a directory with a program:<//>`
          : html`<${Empty}>No job fits. <a href="/jobs">Show all</a><//>`
        : html`<${PagedList} pages=${pages}><${JobTable} jobs=${jobs} columns=${(view.get('columns') ?? '').split(',').filter(Boolean)}
            selected=${selected} toggle=${toggle} view=${view} change=${setQuery} /><//>`}
    <//>`;
}
