/** What changes on the server, as it changes: one stream of events for the whole page. */
import { EventStream } from './stream.js';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** At most so often something is asked for again because of events, in ms. */
const TOGETHER = 250;

const listeners = new Set();
let stream = null;

function tell(event) {
  listeners.forEach(listener => listener(event));
}

function follow() {
  if (stream !== null || document.hidden || listeners.size === 0) {
    return;
  }
  stream = new EventStream('/events?follow=true', {
    open: () => tell(null),
    event: tell,
    broken: () => tell(null),
  });
}

/**
 * A page that nobody sees follows nothing: all tabs of a browser share six connections to a server, and a seventh one would
 * not even load.
 */
document.addEventListener('visibilitychange', () => (document.hidden ? stop() : follow()));

/** Resolves once somebody sees the page. */
export function inSight() {
  return new Promise(resolve => (document.hidden ? document.addEventListener('visibilitychange', resolve, { once: true }) : resolve()));
}

addEventListener('online', () => stream?.again());

/** Calls a listener after each event; with null where some may have been missed. */
export function listen(listener) {
  listeners.add(listener);
  follow();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      stop();
    }
  };
}

/** Takes the stream down, as after a log-out. */
export function stop() {
  stream?.end();
  stream = null;
}

/**
 * Loads something, again after each event, and every so often besides.
 *
 * `load(signal)` gives a promise; `key` says what is loaded: where it changes, what was loaded before is dropped.
 */
export function useLive(load, key, { every = 5_000, isLive = true } = {}) {
  const [state, setState] = useState({ key, data: null, error: null });
  const latest = useRef(load);
  latest.current = load;
  const run = useRef(() => {});
  useEffect(() => {
    const loader = new Loader(signal => latest.current(signal), (data, error) =>
      setState(before => ({ key, data: data ?? (before.key === key ? before.data : null), error })));
    run.current = () => loader.run();
    loader.run();
    const timer = isLive && every > 0 ? setInterval(() => !document.hidden && loader.run(), every) : 0;
    const unlisten = isLive ? listen(() => loader.run()) : () => {};
    return () => {
      loader.end();
      clearInterval(timer);
      unlisten();
    };
  }, [key, every, isLive]);
  const refresh = useCallback(() => run.current(), []);
  const isCurrent = state.key === key;
  return { data: isCurrent ? state.data : null, error: isCurrent ? state.error : null, refresh };
}

/** Runs one load at a time, and one more where it was asked for meanwhile; not more often than every {@link TOGETHER}. */
class Loader {
  constructor(load, done) {
    this.load = load;
    this.done = done;
    this.abort = new AbortController();
    this.isRunning = false;
    this.isWanted = false;
    this.startedAt = 0;
    this.timer = 0;
  }

  run() {
    if (this.isRunning || this.timer !== 0) {
      this.isWanted = true;
      return;
    }
    const wait = this.startedAt + TOGETHER - Date.now();
    if (wait > 0) {
      this.timer = setTimeout(() => this.start(), wait);
    } else {
      this.start();
    }
  }

  async start() {
    this.timer = 0;
    this.isRunning = true;
    this.isWanted = false;
    this.startedAt = Date.now();
    try {
      const data = await this.load(this.abort.signal);
      this.finish(() => this.done(data, null));
    } catch (e) {
      this.finish(() => this.done(null, e));
    }
  }

  finish(tellResult) {
    this.isRunning = false;
    if (!this.abort.signal.aborted) {
      tellResult();
      if (this.isWanted) {
        this.run();
      }
    }
  }

  end() {
    clearTimeout(this.timer);
    this.abort.abort();
  }
}
