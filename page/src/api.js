/** The one place that talks to the server. Paths are those of the API below /api/v1. */

const BASE = '/api/v1';
/**
 * The half of a session that is no cookie: cookies are sent to whatever listens on other ports of the same host, and what is
 * stored for the page is not.
 */
const KEY = 'berth.session';

const ATTEMPTS = 3;
const AGAIN_MILLIS = 300;

/** Keeps the key of a session that has begun; null where it has ended. */
export function keepKey(key) {
  if (key === null) {
    localStorage.removeItem(KEY);
  } else {
    localStorage.setItem(KEY, key);
  }
}

/** A refusal of the server, with its own sentence. `status` is 0 where the server did not answer at all. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Called where the server does not know who asks. */
let onUnknown = () => {};

export function whenUnknown(listener) {
  onUnknown = listener;
}

async function refusal(response) {
  let code = 'HTTP_' + response.status;
  let message = 'the server answered ' + response.status;
  try {
    const body = await response.json();
    code = body.code ?? code;
    message = body.message ?? message;
  } catch {
    // It is no JSON: what answered is not Berth, and its status is all that can be said.
  }
  if (response.status === 401) {
    onUnknown();
  }
  return new ApiError(response.status, code, message);
}

/** Sends a request; the answer as it is, if it is no refusal. */
export async function open(method, path, { body, headers, signal } = {}) {
  const options = { method, signal, headers: { Accept: 'application/json', ...headers }, cache: 'no-store' };
  const key = localStorage.getItem(KEY);
  if (key !== null) {
    options.headers['Berth-Session'] = key;
  }
  if (body !== undefined) {
    options.headers['Content-Type'] = 'application/json';
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(BASE + path, options);
  } catch (e) {
    if (e.name === 'AbortError') {
      throw e;
    }
    throw new ApiError(0, 'NO_ANSWER', 'the server does not answer; is it running? On its machine: berth server status');
  }
  if (!response.ok) {
    throw await refusal(response);
  }
  return response;
}

/**
 * What `ask` answers, asked again where the answer does not come whole: browsers break requests off when a network interface
 * comes or goes, as with each container that starts on the same machine. For what may be asked twice.
 */
export async function again(ask) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (e) {
      const brokenOff = e instanceof TypeError || e.code === 'NO_ANSWER';
      if (!brokenOff || attempt === ATTEMPTS) {
        throw e;
      }
      await new Promise(resolve => setTimeout(resolve, AGAIN_MILLIS));
    }
  }
}

/** The JSON at a path. */
export function get(path, signal) {
  return again(async () => (await open('GET', path, { signal })).json());
}

/** Sends JSON, and gives the JSON of the answer; null where it has none. For what is as wanted where it comes twice. */
export function post(path, body = {}) {
  return again(() => postOnce(path, body));
}

/** The same for what would be done twice. */
export async function postOnce(path, body = {}) {
  return answered(await open('POST', path, { body }));
}

/** Deletes what is at a path; the JSON of the answer. */
export async function remove(path) {
  return answered(await open('DELETE', path));
}

async function answered(response) {
  const text = await response.text();
  return text === '' ? null : JSON.parse(text);
}

/** A path with a query; what is null, undefined or empty is left out. */
export function query(path, parameters) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '' && value !== false) {
      search.set(name, value === true ? 'true' : String(value));
    }
  }
  const text = search.toString();
  return text === '' ? path : path + '?' + text;
}

/** The path of a job, by the number that people call it: below the API's, and as the page's own address. */
export function jobPath(number, rest = '') {
  return '/jobs/' + encodeURIComponent(number) + rest;
}

/** The address of something that the browser itself fetches, such as a download. */
export function address(path) {
  const key = localStorage.getItem(KEY);
  return BASE + (key === null ? path : path + (path.includes('?') ? '&' : '?') + 'session=' + encodeURIComponent(key));
}
