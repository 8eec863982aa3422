/**
 * Permission for a call that cannot be taken back: exactly what would happen, Allow, and Deny with a reason.
 *
 * The safe button takes the focus when the person comes here on purpose ("Show it"), and never by itself. After an answer
 * the focus stays at the row, whose buttons go away; both buttons lock at the first click.
 */

import type { JSX } from "preact";
import type { ToolPart } from "../document";
import { useView } from "../view/context";
import { focusRow } from "../view/row";
import { DetailNote, Fields } from "../view/value";
import { ReasonedRefusal, UnderwayNote } from "./refusal";

/** What is asked for: the reason why it is asked, and each field of the input, whole. */
export function ApprovalDetail({ part }: { part: ToolPart }): JSX.Element {
  return (
    <>
      {part.approval?.requestReason && <DetailNote label="view.tool.reason">{part.approval.requestReason}</DetailNote>}
      <Fields label="view.tool.input" value={part.input ?? null} />
    </>
  );
}

export function ApprovalActions({ part }: { part: ToolPart }): JSX.Element {
  const { say, session } = useView();
  const approvalId = part.approval?.id ?? part.toolCallId;
  const underway = session.underway(approvalId) ?? session.underway(part.toolCallId);
  const answer = (approved: boolean, reason?: string): void => {
    const { toolCallId } = part;
    void session.decide(approvalId, { action: "approve", approvalId, toolCallId, approved, ...(reason ? { reason } : {}) });
  };
  if (underway) return <UnderwayNote underway={underway} />;
  return (
    <ReasonedRefusal
      words={{ open: "view.deny_open", refuse: "view.deny", reason: "view.deny_reason" }}
      onRefuse={(reason) => answer(false, reason)}
    >
      <button
        type="button"
        class="button primary"
        onClick={(event) => {
          focusRow(event.currentTarget);
          answer(true);
        }}
      >
        {say("view.allow")}
      </button>
    </ReasonedRefusal>
  );
}
