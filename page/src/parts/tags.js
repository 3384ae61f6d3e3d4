/** Tags of jobs that are set by hand. */
import { jobPath, post } from '../api.js';
import { answer, question } from './dialog.js';

/** Asks for a tag and sets it for jobs. */
export async function tagJobs(jobs) {
  const values = await question({
    title: jobs.length === 1 ? `Tag job ${jobs[0].number}` : `Tag ${jobs.length} jobs`,
    text: 'A tag is a name, with a value where that helps.',
    fields: [
      { name: 'name', label: 'Name', required: true, hint: 'baseline' },
      { name: 'value', label: 'Value (may be empty)', hint: 'v2' },
    ],
    action: 'Tag', command: `berth tag ${jobs.slice(0, 20).map(job => job.number).join(' ')} NAME=VALUE`,
  });
  if (values === null) {
    return;
  }
  let done = 0;
  for (const job of jobs) {
    try {
      await post(jobPath(job.number, '/tags'), { set: { [values.name.trim()]: values.value.trim() } });
      done++;
    } catch (e) {
      answer(`Job ${job.number}: ${e.message}`, { isBad: true });
    }
  }
  if (done > 0) {
    answer(done === 1 ? 'The job has the tag.' : `${done} jobs have the tag.`);
  }
}
