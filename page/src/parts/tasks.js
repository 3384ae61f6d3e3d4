/** The tasks of an array. */
import { get, query } from '../api.js';
import { html } from '../html.js';
import { JobTable } from './job-table.js';
import { PagedList, usePages } from './pages.js';
import { Failure } from './common.js';
import { setQuery, useRoute } from '../route.js';

export function Tasks({ job }) {
  const { query: view } = useRoute();
  const columns = (view.get('columns') ?? job.sweep?.slice(0, 6).join(',') ?? '').split(',').filter(Boolean);
  const pages = usePages(cursor => get(query('/jobs', { scope: 'all', array: job.id, tasks: true, columns: columns.join(','), limit: 200, cursor })), job.number + columns);
  return html`
    <p>${Object.entries(job.tasks.states).map(([state, count]) => `${count} ${state}`).join(', ')}</p>
    <${Failure} error=${pages.error} retry=${pages.renew} />
    <${PagedList} pages=${pages}><${JobTable} jobs=${pages.items} columns=${columns} selected=${new Map()} toggle=${() => {}} view=${view} isLocal=${true} change=${setQuery} /><//>`;
}
