/** Lists that are loaded page by page, as somebody scrolls to their end. */
import { html, useEffect, useRef, useState } from '../html.js';

/** Pages of a list; `load(cursor)` gives `{jobs, next}`. Where `key` changes it begins anew. */
export function usePages(load, key) {
  const [state, setState] = useState({ key, items: [], next: undefined, isLoading: true, error: null });
  const latest = useRef({});
  latest.current = { load, key, state };
  const fetchPage = async (cursor, before) => {
    const of = latest.current.key;
    setState(old => ({ ...old, isLoading: true, error: null }));
    try {
      const page = await latest.current.load(cursor);
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
      if (now.next !== null && now.next !== undefined && !now.isLoading) {
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
    <p ref=${end} class="dim">${pages.isLoading ? 'Loading …' : pages.next !== null && pages.next !== undefined
      ? html`<button onClick=${pages.more}>Show more</button>` : `${pages.items.length.toLocaleString()} shown, no more`}</p>`;
}
