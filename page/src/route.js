/** Where the page is: the path and the query of the address, which hold all that a view needs to be drawn again. */
import { useEffect, useState } from 'preact/hooks';

const listeners = new Set();

function tell() {
  listeners.forEach(listener => listener());
}

addEventListener('popstate', tell);

/** Goes to an address of the page; `replace` leaves no step back to the one before. */
export function go(to, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  if (!replace) {
    scrollTo(0, 0);
  }
  tell();
}

/** The path and the query as they are, drawn anew where they change. */
export function useRoute() {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw(count => count + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Sets values of the query and leaves the others; an empty one is taken out. */
export function setQuery(values, options = { replace: true }) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === '' || value === false) {
      query.delete(name);
    } else {
      query.set(name, value === true ? '1' : String(value));
    }
  }
  const text = query.toString();
  go(location.pathname + (text === '' ? '' : '?' + text), options);
}

/** Follows links within the page without loading it again. */
export function followLinks(root) {
  root.addEventListener('click', event => {
    const link = event.target.closest?.('a[href]');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) {
      return;
    }
    const to = new URL(link.href);
    if (to.origin === location.origin && !to.pathname.startsWith('/api/') && to.hash === '') {
      event.preventDefault();
      go(to.pathname + to.search);
    }
  });
}
