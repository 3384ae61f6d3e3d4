/** Several jobs side by side: their parameters and metrics as columns. */
import { get, query } from './api.js';

const MAX_JOBS = 1_000;

/** What the jobs of a list told, `['17', '42_7']`; in the place of an array its tasks. */
export async function runs(numbers, signal) {
  const all = [];
  let after = 0;
  while (after !== null && all.length < MAX_JOBS) {
    const page = await get(query('/tracking', { jobs: numbers.join(','), skipMissing: true, after }), signal);
    all.push(...page.jobs);
    after = page.next;
  }
  return all;
}

/** The numbers of a project's jobs that told something, the newest first. */
export async function ofProject(project, signal) {
  const page = await get(query('/tracked', { project, limit: 200 }), signal);
  return page.jobs.map(job => job.number);
}

const asNumber = text => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : null);

/** A column: `of(run)` is its value in a run: a number, a text, or null where it has none. */
function param(name) {
  return { name, kind: 'parameter', of: run => (name in run.params ? asNumber(run.params[name]) ?? run.params[name] : null) };
}

function metric(name) {
  return {
    name, kind: 'metric',
    of: run => {
      const found = run.metrics.find(it => it.name === name);
      return found && typeof found.last.value === 'number' ? found.last.value : null;
    },
  };
}

/** The columns of some runs, parameters first; `differing` alone those in which they are not all the same. */
export function columns(all, isDiffering) {
  const params = [...new Set(all.flatMap(run => Object.keys(run.params)))].map(param);
  const metrics = [...new Set(all.flatMap(run => run.metrics.map(it => it.name)))].map(metric);
  return [...params, ...metrics].filter(column => !isDiffering || new Set(all.map(column.of)).size > 1);
}

/** Where the values of a column lie between 0 and 1: by size where all are numbers, else by name. */
export function scale(column, all) {
  const values = all.map(column.of).filter(it => it !== null);
  if (values.every(it => typeof it === 'number')) {
    const min = Math.min(...values);
    const max = Math.max(...values);
    return { isNumber: true, min, max, at: it => (it === null ? null : max === min ? 0.5 : (it - min) / (max - min)) };
  }
  const names = [...new Set(values.map(String))].sort();
  return { isNumber: false, names, at: it => (it === null ? null : names.length === 1 ? 0.5 : names.indexOf(String(it)) / (names.length - 1)) };
}
