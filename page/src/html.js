/** Preact and htm bound together: every module that draws takes them from here. */
import { h } from 'preact';
import htm from 'htm';

export { Fragment, render } from 'preact';
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** A template tag that makes elements of Preact: text in it is always text, and never markup. */
export const html = htm.bind(h);
