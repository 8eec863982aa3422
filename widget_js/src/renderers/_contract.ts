/**
 * What a renderer is: a pure function of one item and its place, with three samples.
 *
 * An item is one part, or several that are shown as one row (adjacent reasoning, all sources of a message). `Items` is the
 * closed list of kinds; the table in `index.ts` and the table of samples in the tests are checked against it, so a new
 * kind does not compile until it can be drawn and is exercised.
 */

import type { JSX } from "preact";
import type { DataPart, FilePart, JsonObject, ReasoningPart, SourceDocumentPart, SourceUrlPart, TextPart, ToolEntry, ToolPart } from "../document";
import type { PlanSteps } from "./plan_steps";

export type Source = SourceUrlPart | SourceDocumentPart;

export interface Items {
  text: TextPart;
  reasoning: ReasoningPart[];
  tool: ToolPart;
  plan: PlanSteps;
  sources: Source[];
  file: FilePart;
  data: DataPart;
  step: { number: number };
  steering: { text: string };
  unknown: JsonObject;
}

export type Kind = keyof Items;

export type Item = { [K in Kind]: { kind: K; value: Items[K]; id: string; partIndexes: number[] } }[Kind];

/** What an item is drawn with besides its own value. Everything here is compared by identity before drawing again. */
export interface Place {
  /** Stable key of the row. */
  id: string;
  /** Whether the exchange that makes this message is still going on. */
  isBusy: boolean;
  /** Whether the message is the last one: older ones start closed. */
  isCurrent: boolean;
  /** Whether this is the last item of the last message. */
  isLast: boolean;
  tool: ToolEntry | undefined;
  durationMs: number | null | undefined;
  /** 0 in the transcript, 1 inside a subagent, … */
  depth: number;
}

export type Renderer<K extends Kind> = (props: { value: Items[K]; place: Place }) => JSX.Element | null;

export interface Sample<V> {
  value: V;
  place?: Partial<Place>;
  /** Text that the drawn sample holds; `null` when nothing is drawn. */
  shows: string | null;
}

export type Samples<K extends Kind> = Readonly<Record<"streaming" | "done" | "strange", Sample<Items[K]>>>;

/** The deepest row of rows that is still drawn; deeper ones are shown as JSON. */
export const DEEPEST = 3;
