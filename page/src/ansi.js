/**
 * Text with colours of terminals, as parts of plain text with a style each. What ansi_up makes is read as a document that
 * nothing of is shown or run; its texts and styles alone are taken.
 */
import { AnsiUp } from 'ansi_up';

const ESCAPE = '\u001b';
const converter = new AnsiUp();
converter.escape_html = true;
converter.url_allowlist = {};
/** The terminals' sixteen, as they can be read on the log's dark ground (WCAG AA: 4.5 to 1); black is a grey. */
const COLOURS = [
  ['8b949e', 'ff7b72', '3fb950', 'd29922', '58a6ff', 'bc8cff', '39c5cf', 'b1bac4'],
  ['9ea7b3', 'ffa198', '56d364', 'e3b341', '79c0ff', 'd2a8ff', '56d4dd', 'ffffff'],
];
COLOURS.forEach((colours, bright) => colours.forEach((colour, at) => {
  converter.ansi_colors[bright][at].rgb = [0, 2, 4].map(from => parseInt(colour.slice(from, from + 2), 16));
}));
const parser = new DOMParser();
const known = new WeakMap();

function styleOf(element) {
  const style = {};
  for (const rule of (element.dataset?.style ?? '').split(';')) {
    const colon = rule.indexOf(':');
    if (colon > 0) {
      style[rule.slice(0, colon).trim().replace(/-(\w)/g, (_, letter) => letter.toUpperCase())] = rule.slice(colon + 1).trim();
    }
  }
  return style;
}

/** Styles as data: as such the page's policy would refuse them. In text a quotation mark is an entity, so these are tags. */
function marked(text) {
  return text.replaceAll('<span style="', '<span data-style="');
}

/** The parts of a line, `[{text, style}]`; `line` is an object whose text does not shrink. */
export function ansiParts(line) {
  if (!line.text.includes(ESCAPE)) {
    return [{ text: line.text, style: null }];
  }
  const before = known.get(line);
  if (before?.length === line.text.length) {
    return before.parts;
  }
  const page = parser.parseFromString(marked(converter.ansi_to_html(line.text + ESCAPE + '[0m')), 'text/html');
  const parts = [...page.body.childNodes].map(node => ({ text: node.textContent, style: styleOf(node) }));
  known.set(line, { length: line.text.length, parts });
  return parts;
}
