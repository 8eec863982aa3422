/** Durations in words. Tabular figures and one decimal, so that a column of them can be compared. */

import type { Say } from "./strings";

export function sayDuration(say: Say, ms: number): string {
  if (ms < 100) return say("view.ms", { n: Math.round(ms) });
  if (ms < 59_950) return say("view.seconds", { n: (ms / 1000).toFixed(1) });
  const seconds = Math.round(ms / 1000);
  return say("view.minutes", { m: Math.floor(seconds / 60), s: seconds % 60 });
}

/** Time of thought, in whole seconds and never 0: nobody thinks for 0 seconds. */
export function sayThought(say: Say, ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds < 60 ? say("view.seconds", { n: seconds }) : say("view.minutes", { m: Math.floor(seconds / 60), s: seconds % 60 });
}

/** Position in a recording, with the precision that its length calls for: `0.1 / 0.2`, `12 / 161`. */
export function clockSeconds(ms: number, durationMs: number): string {
  return (ms / 1000).toFixed(durationMs < 10_000 ? 2 : durationMs < 100_000 ? 1 : 0);
}
