/** Lists that are loaded page by page, as somebody scrolls to their end. */
import { html, useEffect, useRef, useState } from '../html.js';

/** Pages without any job that are gone through before somebody is asked whether to go on. */
const MAX_EMPTY = 5;

/** The next page that has a job in it: one may have none although there are more behind it, as the server looks at so many a page. */
async function nextPage(load, cursor, isWanted) {
  let page = await load(cursor);
  for (let empty = 1; page.jobs.length === 0 && isMore(page.next) && empty < MAX_EMPTY && isWanted(); empty++) {
    page = await load(page.next);
  }
  return page;
}

function isMore(next) {
  return next !== null && next !== undefined;
}

/** Pages of a list; `load(cursor)` gives `{jobs, next}`. Where `key` changes it begins anew. */
export function usePages(load, key) {
  const [state, setState] = useState({ key, items: [], next: undefined, isLoading: true, error: null });
  const latest = useRef({});
  latest.current = { load, key, state };
  const fetchPage = async (cursor, before) => {
    const of = latest.current.key;
    setState(old => ({ ...old, isLoading: true, error: null }));
    try {
      const page = await nextPage(latest.current.load, cursor, () => latest.current.key === of);
      if (latest.current.key === of) {
        const known = new Set(before.map(job => job.number));
        const items = [...before, ...page.jobs.filter(job => !known.has(job.number))];
        setState({ key: of, items, next: page.next, isLoading: false, error: null });
      }
    } catch (error) {
      if (latest.current.key === of) {
        setState(old => ({ ...old, key: of, isLoading: false, error }));
      }
    }
  };
  useEffect(() => {
    setState(old => ({ ...old, items: old.key === key ? old.items : [], isLoading: true }));
    fetchPage(null, []);
  }, [key]);
  return {
    ...state,
    more: () => {
      const now = latest.current.state;
      if (isMore(now.next) && !now.isLoading) {
        fetchPage(now.next, now.items);
      }
    },
    renew: () => fetchPage(null, []),
  };
}

/** A list, and what loads more of it when its end comes into sight. */
export function PagedList({ pages, children }) {
  const end = useRef(null);
  useEffect(() => {
    const observer = new IntersectionObserver(entries => entries.some(it => it.isIntersecting) && pages.more(), { rootMargin: '800px' });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [pages.next, pages.isLoading]);
  return html`
    ${children}
    <p ref=${end} class="dim">${pages.isLoading ? 'Loading …' : isMore(pages.next)
      ? html`<button onClick=${pages.more}>${pages.items.length === 0 ? 'None found yet. Look further' : 'Show more'}</button>` : `${pages.items.length.toLocaleString()} shown, no more`}</p>`;
}
