/** The rows of a long table that are in sight: only those are drawn, so that 10,000 scroll as 50 do. All are of one height. */
import { useEffect, useState } from '../html.js';

/** The height of a row in CSS pixels, as the style sheet has it for tables of the class `even`. */
export const ROW = 34;
const SPARE = 20;
/** Tables of fewer rows are drawn whole. */
const FEW = 150;

/** Which of so many rows are in sight of the window; `body` is a reference to the table's body. */
export function useVisibleRows(body, count) {
  const [range, setRange] = useState({ first: 0, last: FEW });
  useEffect(() => {
    if (count <= FEW) {
      return () => {};
    }
    const look = () => {
      const top = body.current.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(-top / ROW) - SPARE);
      const last = Math.ceil((innerHeight - top) / ROW) + SPARE;
      setRange(before => (before.first === first && before.last === last ? before : { first, last }));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [count]);
  return count <= FEW ? { first: 0, last: count } : { first: Math.min(range.first, count), last: Math.min(range.last, count) };
}
