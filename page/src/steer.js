/** What can be done to jobs, GPUs and the queue: each says what it does, and how the command line does it. */
import { jobPath, post, postOnce, remove } from './api.js';
import { answer, question } from './parts/dialog.js';
import { go } from './route.js';

const WAITS = new Set(['QUEUED']);
const LIVE = new Set(['QUEUED', 'HELD', 'STARTING', 'RUNNING']);

/** Whether a job has ended. */
export function hasEnded(job) {
  return !LIVE.has(job.state) && job.state !== 'STOPPING';
}

const sentence = job => `Job ${job.number} is ${job.state}: ${job.sentence}`;

/** All that can be done to a job. `isFor` says whether that makes sense for it now. */
export const JOB_ACTIONS = [
  {
    name: 'cancel', word: 'Cancel', isDangerous: true,
    isFor: job => LIVE.has(job.state),
    text: job => job.state === 'RUNNING' || job.state === 'STARTING'
      ? 'Its program gets SIGTERM, and SIGKILL where it has not ended in time. What it has written stays.'
      : 'It will never start. It can be submitted again later.',
    run: job => post(jobPath(job.number, '/cancel')),
  },
  {
    name: 'hold', word: 'Hold', isFor: job => WAITS.has(job.state), isQuiet: true,
    text: () => 'It keeps its place and is passed over until it is released.',
    run: job => post(jobPath(job.number, '/hold')),
  },
  {
    name: 'release', word: 'Release', isFor: job => job.state === 'HELD', isQuiet: true,
    text: () => 'It waits again at the place that it always had.',
    run: job => post(jobPath(job.number, '/release')),
  },
  {
    name: 'resubmit', word: 'Run again', isFor: hasEnded, isQuiet: true,
    text: () => 'A new job with the same snapshot and options, at the end of the queue.',
    run: job => postOnce(jobPath(job.number, '/resubmit')),
    done: job => `Job ${job.number} is in the queue: ${job.sentence}`,
  },
  {
    name: 'delete', word: 'Delete', isDangerous: true, isFor: hasEnded,
    text: () => 'Its record, log, metrics and output are deleted. This cannot be undone.',
    run: job => remove(jobPath(job.number)),
    done: (_, job) => `Job ${job.number} is deleted.`,
  },
];

/** The command line's way to do something to jobs. */
export function command(name, jobs) {
  return `berth ${name} ${jobs.map(job => job.number).join(' ')}`;
}

/** Does something to jobs, after a question where it cannot be undone; whether it was done to all. */
export async function steer(action, jobs) {
  const many = jobs.length > 1;
  if (!action.isQuiet || many) {
    const yes = await question({
      title: `${action.word} ${many ? jobs.length + ' jobs' : 'job ' + jobs[0].number}?`,
      text: action.text(jobs[0]),
      action: action.word,
      isDangerous: action.isDangerous,
      command: jobs.length <= 40 ? command(action.name, jobs) : null,
    });
    if (yes === null) {
      return false;
    }
  }
  let done = 0;
  for (const job of jobs) {
    try {
      const result = await action.run(job);
      done++;
      if (!many) {
        answer(action.done ? action.done(result, job) : sentence(result));
        if (action.name === 'resubmit') {
          go(jobPath(result.number));
        }
      }
    } catch (e) {
      answer(`Job ${job.number}: ${e.message}`, { isBad: true });
    }
  }
  if (many && done > 0) {
    answer(`${action.word}: done for ${done} of ${jobs.length} jobs.`);
  }
  return done === jobs.length;
}

/** Takes a GPU out of service after a question for the reason. */
export async function drain(gpu) {
  const values = await question({
    title: `Drain GPU ${gpu.index}?`,
    text: 'No job is started on it until it is resumed. What runs on it goes on.',
    fields: [{ name: 'reason', label: 'Why, for everybody who waits', required: true, hint: 'fan is being replaced' }],
    action: 'Drain', isDangerous: true, command: `berth gpus drain ${gpu.index} --reason …`,
  });
  return values !== null && told(() => post(`/gpus/${gpu.uuid}/drain`, values), `GPU ${gpu.index} is drained.`);
}

/** Puts a GPU back into service. */
export function resume(gpu) {
  return told(() => post(`/gpus/${gpu.uuid}/resume`), `GPU ${gpu.index} is in service again.`);
}

/** Pauses or resumes the whole queue. */
export async function pause(isPaused) {
  if (isPaused) {
    return told(() => post('/server/resume'), 'The queue goes on.');
  }
  const yes = await question({
    title: 'Pause the queue?',
    text: 'Nothing new is started until it is resumed, also after a restart of the server. What runs goes on.',
    action: 'Pause', isDangerous: true, command: 'berth server pause',
  });
  return yes !== null && told(() => post('/server/pause'), 'The queue is paused: nothing new is started.');
}

/** Does something, and shows what became of it. */
export async function told(work, done) {
  try {
    await work();
    answer(done);
    return true;
  } catch (e) {
    answer(e.message, { isBad: true });
    return false;
  }
}
