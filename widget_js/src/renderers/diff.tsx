/** A proposed change, before and after in one column: signs and words, not colour alone. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Json, ToolPart } from "../document";
import { isObject, toolName } from "../document";
import { useView } from "../view/context";
import { sayCount } from "../view/strings";
import { visible } from "../view/visible";
import type { DiffRow } from "./line_diff";
import { diffLines, foldSame } from "./line_diff";

export interface Proposal {
  before: string;
  after: string;
  /** What else the call says: where, why. */
  rest: { [key: string]: Json };
}

const BEFORE: readonly string[] = ["before", "oldText", "old_text", "oldString", "old_string", "original", "oldSource"];
const AFTER: readonly string[] = ["after", "newText", "new_text", "newString", "new_string", "replacement", "proposed", "newSource"];

/** The two texts of a call that proposes an edit, or `undefined` for any other call. */
export function proposalOf(part: ToolPart): Proposal | undefined {
  const { input } = part;
  if (!isObject(input)) return undefined;
  const beforeKey = BEFORE.find((key) => typeof input[key] === "string");
  const afterKey = AFTER.find((key) => typeof input[key] === "string");
  if (!afterKey || (!beforeKey && !/^propose/i.test(toolName(part)))) return undefined;
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => key !== beforeKey && key !== afterKey));
  return { before: beforeKey ? String(input[beforeKey]) : "", after: String(input[afterKey]), rest };
}

export function Diff({ before, after }: { before: string; after: string }): JSX.Element {
  const { say } = useView();
  const rows = useMemo(() => foldSame(diffLines(visible(before), visible(after))), [before, after]);
  if (before === after) return <p class="soft">{say("view.diff.same")}</p>;
  return (
    <div class="diff" role="group" aria-label={say("view.diff")}>
      {rows.map((row, index) => (
        <DiffRowView key={index} row={row} />
      ))}
    </div>
  );
}

function DiffRowView({ row }: { row: DiffRow }): JSX.Element {
  const { say } = useView();
  if (row.kind === "skipped") return <div class="diff-skipped">{sayCount(say, "view.diff.skipped", row.count)}</div>;
  const Line = row.kind === "added" ? "ins" : row.kind === "removed" ? "del" : "div";
  return (
    <Line class="diff-line" data-kind={row.kind}>
      <span class="diff-sign" aria-hidden="true">
        {row.kind === "added" ? "+" : row.kind === "removed" ? "−" : " "}
      </span>
      <span class="diff-text">
        {row.kind !== "same" && <span class="sr">{`${say(row.kind === "added" ? "view.diff.added" : "view.diff.removed")} `}</span>}
        {row.pieces.map((piece, index) => (piece.isChanged ? <mark key={index}>{piece.text}</mark> : piece.text))}
      </span>
    </Line>
  );
}
