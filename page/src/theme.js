/** Light, dark, or as the machine of who looks has it. */
import { useEffect, useState } from 'preact/hooks';

const KEY = 'berth.theme';
const THEMES = ['auto', 'light', 'dark'];
const listeners = new Set();

function theme() {
  const kept = localStorage.getItem(KEY);
  return THEMES.includes(kept) ? kept : 'auto';
}

function apply() {
  if (theme() === 'auto') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme();
  }
  listeners.forEach(listener => listener(theme()));
}

/** Goes on to the next of the three. */
export function cycleTheme() {
  localStorage.setItem(KEY, THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
  apply();
}

/** The one that is chosen. */
export function useTheme() {
  const [chosen, setChosen] = useState(theme());
  useEffect(() => {
    listeners.add(setChosen);
    return () => listeners.delete(setChosen);
  }, []);
  return chosen;
}

apply();
