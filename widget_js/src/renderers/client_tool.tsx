/**
 * A call that the person answers: a proposed edit to adopt or reject, or any other question with a field for the answer.
 *
 * A rejection is an ordinary output (`{status: "rejected"}`): the model must learn of it. Only "Report a problem" makes the
 * call fail.
 */

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Json, ToolPart } from "../document";
import { useView } from "../view/context";
import { focusRow } from "../view/row";
import { Fields } from "../view/value";
import type { Proposal } from "./diff";
import { Diff } from "./diff";
import { ReasonedRefusal, UnderwayNote } from "./refusal";

export function ProposalDetail({ proposal }: { proposal: Proposal }): JSX.Element {
  return (
    <>
      {Object.keys(proposal.rest).length > 0 && <Fields label="view.tool.input" value={proposal.rest} />}
      <Diff before={proposal.before} after={proposal.after} />
    </>
  );
}

export function ClientToolActions({ part, proposal }: { part: ToolPart; proposal: Proposal | undefined }): JSX.Element {
  const { session } = useView();
  const { toolCallId } = part;
  const underway = session.underway(toolCallId);
  if (underway) return <UnderwayNote underway={underway} />;
  const answer = (output: Json): void => void session.decide(toolCallId, { action: "toolOutput", toolCallId, output });
  const report = (errorText: string): void => void session.decide(toolCallId, { action: "toolError", toolCallId, errorText });
  return proposal ? <Adoption onAnswer={answer} /> : <AnswerForm onAnswer={answer} onReport={report} />;
}

function Adoption({ onAnswer }: { onAnswer: (output: Json) => void }): JSX.Element {
  const { say } = useView();
  return (
    <ReasonedRefusal
      words={{ open: "view.reject_open", refuse: "view.reject", reason: "view.deny_reason" }}
      onRefuse={(reason) => onAnswer(reason ? { status: "rejected", reason } : { status: "rejected" })}
    >
      <button
        type="button"
        class="button primary"
        onClick={(event) => {
          focusRow(event.currentTarget);
          onAnswer({ status: "applied" });
        }}
      >
        {say("view.adopt")}
      </button>
    </ReasonedRefusal>
  );
}

interface AnswerFormProps {
  onAnswer: (output: Json) => void;
  onReport: (errorText: string) => void;
}

function AnswerForm({ onAnswer, onReport }: AnswerFormProps): JSX.Element {
  const { say } = useView();
  const [isReport, setReport] = useState(false);
  const [text, setText] = useState("");
  const fieldId = useId();
  const reading = readAnswer(text);
  const isEmpty = !text.trim();
  const submit = (event: JSX.TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isEmpty) return;
    focusRow(event.currentTarget);
    if (isReport) onReport(text.trim());
    else onAnswer(reading.value);
  };
  return (
    <form class="answer" onSubmit={submit}>
      <label class="field-label" for={fieldId}>
        {say(isReport ? "view.problem_field" : "view.answer_field")}
      </label>
      <textarea
        class="field-input"
        id={fieldId}
        rows={2}
        value={text}
        data-safe="true"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) event.currentTarget.form?.requestSubmit();
        }}
      />
      <div class="button-line">
        <button type="submit" class="button primary" aria-disabled={isEmpty || undefined}>
          {say(isReport ? "view.problem_send" : "view.answer")}
        </button>
        <button type="button" class="button quiet" onClick={() => setReport(!isReport)}>
          {say(isReport ? "view.cancel" : "view.problem")}
        </button>
        {!isEmpty && !isReport && <span class="soft answer-kind">{sayKind(say, reading)}</span>}
      </div>
    </form>
  );
}

interface Reading {
  value: Json;
  isJson: boolean;
  problem?: string;
}

/** What was typed, as JSON if it is that, else as text. Something that only looks like JSON is text, with a remark. */
export function readAnswer(text: string): Reading {
  const trimmed = text.trim();
  try {
    return { value: JSON.parse(trimmed) as Json, isJson: true };
  } catch (error) {
    const looksLikeJson = /^[[{"]/.test(trimmed);
    return { value: text, isJson: false, ...(looksLikeJson ? { problem: (error as Error).message } : {}) };
  }
}

function sayKind(say: ReturnType<typeof useView>["say"], reading: Reading): string {
  if (reading.problem) return say("view.json_problem", { problem: reading.problem });
  return say(reading.isJson ? "view.as_json" : "view.as_text");
}
