/** Keys that do something, and the list of them. */
import { useEffect, useRef } from 'preact/hooks';
import { question } from './parts/dialog.js';

const TOGETHER = 1_000;
const WORDS = `j, k: the next and the previous row · Enter: open it · x: select it · /: filter · Escape: leave a field
g n: Now · g j: Jobs · g c: Compare · g p: Projects · ?: this list`;

const handlers = [];
let first = '';
let firstAt = 0;

function isTyping(target) {
  return target.closest?.('input, textarea, select, dialog') !== null && target.closest !== undefined;
}

/** What the view that came last has a key do. */
function find(key) {
  return handlers.findLast(it => it.current[key])?.current[key];
}

document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && isTyping(event.target)) {
    event.target.blur();
    return;
  }
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === 'Enter' && event.target.closest?.('a, button')) {
    return;
  }
  const pair = Date.now() - firstAt < TOGETHER ? first + ' ' + event.key : null;
  const handler = find(pair) ?? find(event.key);
  if (handler) {
    event.preventDefault();
    first = '';
    handler();
    return;
  }
  if (event.key === '?') {
    question({ title: 'Keys', text: WORDS, action: 'Close' });
  }
  first = event.key;
  firstAt = Date.now();
});

/** Has keys do something while a view is shown: `{'j': function, 'g n': function}`. */
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    handlers.push(latest);
    return () => handlers.splice(handlers.indexOf(latest), 1);
  }, []);
}
