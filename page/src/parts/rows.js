/** Rows that are gone through by the keys j and k, opened by Enter, and selected by x. */
import { useState } from 'preact/hooks';
import { useKeys } from '../keys.js';
import { go } from '../route.js';

/** `address(item)` is where Enter leads; `select(item)`, where there is one, what x does. */
export function useRows(items, address, select) {
  const [current, setCurrent] = useState(-1);
  const move = by => {
    if (items.length === 0) {
      return;
    }
    const next = Math.min(items.length - 1, Math.max(0, current + by));
    setCurrent(next);
    document.querySelector(`[data-row="${next}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => items[current] && go(address(items[current])),
    x: () => select && items[current] && select(items[current]),
  });
  return { current, rowProps: index => ({ class: index === current ? 'current' : '', 'data-row': index }) };
}
