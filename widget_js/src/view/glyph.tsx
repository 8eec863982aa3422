/**
 * The glyphs, drawn as lines of 1.5 px in a field of 16.
 *
 * SVG instead of characters: `◷` and `⊘` are missing in many fonts, and then the row's only picture is a box.
 */

import type { JSX } from "preact";
import type { RowStatus } from "./context";

const PATHS = {
  running: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3l2.2 1.4",
  preparing: "M8 2.5a5.5 5.5 0 0 1 3.9 1.6M13.5 8a5.5 5.5 0 0 1-1.6 3.9M8 13.5a5.5 5.5 0 0 1-3.9-1.6M2.5 8a5.5 5.5 0 0 1 1.6-3.9",
  done: "M3.5 8.5l3 3l6-7",
  failed: "M4 4l8 8M12 4l-8 8",
  denied: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M4.2 11.8l7.6-7.6",
  interrupted: "M9 2L4 9h4l-1 5l5-7H8z",
  waiting: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.5-1.1.9-1.1 1.8M8 12.6v.4",
  queued: "M4 8h.01M8 8h.01M12 8h.01",
  "approved-not-sent": "M2.5 8h9M8.5 4.5L12 8l-3.5 3.5",
  unknown: "M4 8h8",
  neutral: "M8 7.5v.9",
  thought: "M3 5h10M3 8h10M3 11h6",
  plan: "M3 4.5l1 1l1.8-2M3 10.5l1 1l1.8-2M8 5h5M8 11h5",
  pending: "M8 4a4 4 0 1 0 0 8a4 4 0 1 0 0-8",
  link: "M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.3-2.3a2.4 2.4 0 0 0-3.4-3.4l-.8.8M9.2 6.8a2.4 2.4 0 0 0-3.4 0L3.5 9.1a2.4 2.4 0 0 0 3.4 3.4l.8-.8",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  data: "M6 3c-1.5 0-2 .6-2 1.7v1.5C4 7.3 3.5 8 2.7 8c.8 0 1.3.7 1.3 1.8v1.5C4 12.4 4.5 13 6 13M10 3c1.5 0 2 .6 2 1.7v1.5c0 1.1.5 1.8 1.3 1.8c-.8 0-1.3.7-1.3 1.8v1.5c0 1.1-.5 1.7-2 1.7",
  note: "M3 3.5h10v7H7l-2.5 2.5v-2.5H3z",
  closed: "M6 4.5l3.5 3.5L6 11.5",
  open: "M4.5 6l3.5 3.5L11.5 6",
  send: "M8 13V3.5M4 7.5l4-4l4 4",
  stop: "M4.5 4.5h7v7h-7z",
  play: "M5 3.5l7.5 4.5L5 12.5z",
  pause: "M5.5 4v8M10.5 4v8",
  restart: "M4 4v8M12 4.5L6.5 8L12 11.5z",
  down: "M8 3.5v9M4.5 9L8 12.5L11.5 9",
  copy: "M5.5 5.5v-2.5h7.5v7.5h-2.5M3 5.5h7.5V13H3z",
} as const;

export type GlyphName = keyof typeof PATHS;

const FILLED: readonly GlyphName[] = ["stop", "play", "interrupted"];

export function Glyph({ name }: { name: GlyphName }): JSX.Element {
  return (
    <svg class="glyph" viewBox="0 0 16 16" aria-hidden="true" data-glyph={name} data-filled={FILLED.includes(name) || undefined}>
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Each status has its own glyph; the word beside it says the same. */
export const STATUS_GLYPH = {
  preparing: "preparing",
  running: "running",
  waiting: "waiting",
  queued: "queued",
  "approved-not-sent": "approved-not-sent",
  denied: "denied",
  done: "done",
  failed: "failed",
  interrupted: "interrupted",
  unknown: "unknown",
  neutral: "neutral",
} as const satisfies Record<RowStatus, GlyphName>;
