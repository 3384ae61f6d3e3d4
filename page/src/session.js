/** Who looks at the page. */
import { get, keepKey, post } from './api.js';

/** The session as the server knows it; null where nobody is logged in. */
export async function session() {
  try {
    return await get('/session');
  } catch (e) {
    if (e.status === 401) {
      return null;
    }
    throw e;
  }
}

/** Logs in by the link of `berth open` in the address, if there is one; what is used of it is taken out of the address. */
export async function useLink() {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link === null) {
    return;
  }
  history.replaceState(null, '', location.pathname + location.search);
  await begin({ link });
}

async function begin(secret) {
  // A link that is used is refused: where only the answer was lost, its owner is told so.
  const started = await post('/session', secret);
  keepKey(started.key);
}

/** Logs in by a token. */
export function logIn(token) {
  return begin({ token: token.trim() });
}

/** Ends the session. */
export async function logOut() {
  await post('/session/end');
  keepKey(null);
}

/** Whether who looks may steer jobs, and whether the server as a whole. */
export function rights(who) {
  return {
    steers: who !== null && who.name !== null && who.scope !== 'read',
    administers: who !== null && who.role === 'administrator' && who.scope === 'admin',
  };
}
