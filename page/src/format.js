/** Numbers and times as people read them: with units, and in the zone of who looks. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in two units at most, as in `2 h 13 min`. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) {
    return '';
  }
  const whole = Math.max(0, Math.round(seconds));
  if (whole < MINUTE) {
    return whole + ' s';
  }
  if (whole < HOUR) {
    return units(whole, MINUTE, 'min', 1, 's');
  }
  return whole < DAY ? units(whole, HOUR, 'h', MINUTE, 'min') : units(whole, DAY, 'd', HOUR, 'h');
}

function units(seconds, large, largeName, small, smallName) {
  const first = Math.floor(seconds / large);
  const second = Math.floor((seconds % large) / small);
  return first + ' ' + largeName + (second === 0 ? '' : ' ' + second + ' ' + smallName);
}

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** A moment: the time alone where it is today. */
export function moment(iso, now = new Date()) {
  if (!iso) {
    return '';
  }
  const date = new Date(iso);
  return date.toDateString() === now.toDateString() ? TIME.format(date) : DATE.format(date);
}

/** A moment with its seconds and zone. */
export function fullMoment(iso) {
  return iso ? FULL.format(new Date(iso)) : '';
}

/** Seconds from one moment to another, now where it is left out. */
export function secondsBetween(from, to) {
  return ((to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1000;
}

/** How long ago a moment was, or in how long it will be. */
export function relative(iso) {
  if (!iso) {
    return '';
  }
  const seconds = secondsBetween(iso);
  return seconds >= 0 ? duration(seconds) + ' ago' : 'in ' + duration(-seconds);
}

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes in the unit that fits. */
export function bytes(count) {
  if (count === null || count === undefined) {
    return '';
  }
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < SIZES.length - 1) {
    value /= 1024;
    unit++;
  }
  return (unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)) + ' ' + SIZES[unit];
}

/** MiB in the unit that fits. */
export function mebibytes(count) {
  return count === null || count === undefined ? '' : bytes(count * 1024 * 1024);
}

/** How many GPUs thousandths of one are. */
export function gpus(milli) {
  return String(milli / 1000);
}

/** A count with its noun, as in `3 jobs`. */
export function count(number, noun) {
  return number.toLocaleString() + ' ' + noun + (number === 1 ? '' : 's');
}

/** A value of a metric: as many digits as tell it, never more than six. */
export function value(number) {
  if (typeof number !== 'number') {
    return String(number ?? '');
  }
  if (Number.isInteger(number) && Math.abs(number) < 1e9) {
    return String(number);
  }
  const size = Math.abs(number);
  return size !== 0 && (size < 1e-4 || size >= 1e7) ? number.toExponential(3) : String(Number(number.toPrecision(6)));
}

/** A word as a shell takes it. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}
