/**
 * Loads the page again where a part of it did not come: browsers break off what they load when a network interface comes or
 * goes, as with each container that starts on the same machine. A few times, so that what is really away is not asked for ever.
 */
addEventListener('error', event => {
  const times = Number(sessionStorage.getItem('berth.retries') ?? 0);
  if (event.target.tagName === 'SCRIPT' && times < 10) {
    sessionStorage.setItem('berth.retries', String(times + 1));
    setTimeout(() => location.reload(), 500);
  }
}, true);
