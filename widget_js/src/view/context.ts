/** What every renderer may ask for without being given it: the words, the session, and what is allowed here. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Action, ToolStatus } from "../document";
import type { Fold, Underway } from "../session";
import type { Language, Say } from "./strings";
import { sayIn } from "./strings";

/** The part of a session that a renderer may use; a test gives a small one of its own. */
export interface ViewSession {
  readonly folds: Map<string, Fold>;
  act(action: Action): Promise<void>;
  decide(id: string, action: Action): Promise<void>;
  underway(id: string): Underway | undefined;
}

export interface View {
  say: Say;
  language: Language;
  session: ViewSession;
  /** False in a recording and without a kernel: then nothing can be answered, and no button promises it. */
  canAct: boolean;
  /** The row that may count its seconds: only what is seen live has a clock. */
  isLive: boolean;
}

const NOBODY: ViewSession = {
  folds: new Map(),
  act: () => Promise.resolve(),
  decide: () => Promise.resolve(),
  underway: () => undefined,
};

export const ViewContext = createContext<View>({
  say: sayIn("en"),
  language: "en",
  session: NOBODY,
  canAct: false,
  isLive: false,
});

export function useView(): View {
  return useContext(ViewContext);
}

/** Status of a row: that of a tool, or none for rows that only state something. */
export type RowStatus = ToolStatus | "neutral";

/** From worst to best, for parents that show the state of their children. Waiting counts before failure: somebody must act. */
const WORST_FIRST: readonly RowStatus[] = [
  "waiting",
  "interrupted",
  "failed",
  "running",
  "preparing",
  "approved-not-sent",
  "queued",
  "unknown",
  "denied",
  "done",
  "neutral",
];

export function worstStatus(statuses: readonly RowStatus[]): RowStatus {
  return WORST_FIRST.find((status) => statuses.includes(status)) ?? "neutral";
}
