/** Lines of a whole log that have a text, as the server finds them, part by part. */
import { get, jobPath, query } from './api.js';

const LIMIT = 500;
/** More are not gone through one by one. */
export const MAX_MATCHES = 5_000;

/** Looks, and calls `found(matches, isDone)` for each part; ends where the signal says so. */
export async function searchLog(number, { text, stream, attempt }, signal, found) {
  const matches = [];
  for (let offset = 0; offset !== null && matches.length < MAX_MATCHES;) {
    const part = await get(query(jobPath(number, '/log/search'), { text, ignoreCase: true, stream, attempt, offset, limit: LIMIT }), signal);
    matches.push(...part.matches);
    offset = part.next;
    found([...matches], offset === null);
  }
}
