/**
 * A tool call, from its first byte of input to its result: all seven states, as the status table of the kernel says.
 *
 * Waiting is not failing: amber, in the second person, with what can be done. Interrupted is failing: red, with what is
 * left. Denied is neither: nobody did anything wrong.
 */

import type { ComponentChildren, JSX } from "preact";
import type { Json, ToolEntry, ToolPart, ToolStatus } from "../document";
import { isObject, isToolPart, toolName } from "../document";
import { useView, worstStatus } from "../view/context";
import type { RowProps, Title } from "../view/row";
import { Row, plainTitle } from "../view/row";
import type { Say, WordKey } from "../view/strings";
import { sayAround, sayCount } from "../view/strings";
import { sayDuration } from "../view/time";
import { Detail, DetailNote, Fields, briefValue } from "../view/value";
import type { Place, Renderer, Samples } from "./_contract";
import { DEEPEST } from "./_contract";
import { ApprovalActions, ApprovalDetail } from "./approval";
import { ClientToolActions, ProposalDetail } from "./client_tool";
import { Diff, proposalOf } from "./diff";
import { NestedMessage, nestedMessage } from "./nested";

const TITLE_WORDS = {
  preparing: "view.tool.preparing",
  running: "view.tool.running",
  waiting: "view.tool.waiting",
  queued: "view.tool.queued",
  "approved-not-sent": "view.tool.approved_not_sent",
  denied: "view.tool.denied",
  done: "view.tool.done",
  failed: "view.tool.failed",
  interrupted: "view.tool.interrupted",
  unknown: "view.tool.unknown",
} as const satisfies Record<ToolStatus, WordKey>;

export const Tool: Renderer<"tool"> = ({ value: part, place }) => {
  const { say, session, canAct } = useView();
  const status = statusOf(part, place.tool, place.isBusy);
  const isApproval = part.state === "approval-requested";
  const isWaiting = status === "waiting";
  const title = titleOf(say, part, status, place);
  const worst = worstChild(part, status, place);
  // A function of the kernel that answers this call runs after the current cell: not now, and through nobody's fault.
  const isBehindCell = status === "running" && session.underway(part.toolCallId) === "queued";
  const remark = isBehindCell ? say("view.queued_cell") : worst && plainTitle(titleOf(say, worst.part, worst.status, NOWHERE));
  return (
    <Row
      id={place.id}
      kind="tool"
      isTimed
      toolCallId={part.toolCallId}
      status={status}
      {...(worst && { glyphStatus: worst.status })}
      title={remark ? { ...title, argument: remark } : title}
      durationMs={status === "interrupted" || isWaiting ? undefined : (place.tool?.durationMs ?? place.durationMs)}
      wantsOpen={isWaiting || (status === "failed" && place.isLast)}
      detail={detailOf(part, status, place)}
      actions={
        isWaiting &&
        canAct &&
        (isApproval ? <ApprovalActions part={part} /> : <ClientToolActions part={part} proposal={proposalOf(part)} />)
      }
    />
  );
};

/** A child has no entry in the tables of the document. */
const NOWHERE: Pick<Place, "tool"> = { tool: undefined };

/** The kernel's word; where it says nothing (inside a subagent) the state of the part alone. */
export function statusOf(part: ToolPart, entry: ToolEntry | undefined, isBusy: boolean): ToolStatus {
  if (entry) return entry.status;
  if (part.state === "output-denied" || part.approval?.approved === false) return "denied";
  if (part.state === "output-error") return "failed";
  if (part.state === "output-available" && !part.preliminary) return "done";
  if (part.state === "approval-requested" && !part.approval?.isAutomatic) return "waiting";
  if (isBusy) return part.state === "input-streaming" ? "preparing" : "running";
  return "interrupted";
}

interface Child {
  part: ToolPart;
  status: ToolStatus;
}

/** The child that is worse off than its finished or running parent: the parent shows its glyph and says its title. */
function worstChild(part: ToolPart, status: ToolStatus, place: Place): Child | undefined {
  const message = status === "done" || status === "running" ? nestedMessage(part.output) : undefined;
  if (!message) return undefined;
  const children = message.parts.filter(isToolPart).map((child): Child => ({ part: child, status: statusOf(child, undefined, place.isBusy) }));
  const worst = worstStatus([status, ...children.map((child) => child.status)]);
  return worst === status ? undefined : children.find((child) => child.status === worst);
}

function titleOf(say: Say, part: ToolPart, status: ToolStatus, place: Pick<Place, "tool">): Title {
  const [before, after] = sayAround(say, titleWord(part, status), "name");
  const argument = argumentOf(say, part, status, place);
  return { before, name: part.title || toolName(part) || "?", after, ...(argument ? { argument } : {}) };
}

function titleWord(part: ToolPart, status: ToolStatus): WordKey {
  const isRequested = part.state === "approval-requested";
  if (status === "running" && isRequested) return "view.tool.checking";
  if (status === "waiting" && isRequested) return "view.tool.approval";
  if (status === "denied" && part.approval?.isAutomatic) return "view.tool.denied_by_rule";
  return TITLE_WORDS[status];
}

function argumentOf(say: Say, part: ToolPart, status: ToolStatus, place: Pick<Place, "tool">): string | undefined {
  if (status === "failed") return part.errorText?.trim().split("\n", 1)[0];
  if (status === "denied") return part.approval?.reason ? `“${part.approval.reason}”` : undefined;
  if (status === "interrupted" && place.tool?.durationMs) {
    return say("view.tool.stopped_after", { time: sayDuration(say, place.tool.durationMs) });
  }
  if (status === "done" && proposalOf(part) && isObject(part.output)) {
    const verdict = part.output["status"];
    if (verdict === "applied") return say("view.adopted");
    if (verdict === "rejected") return say("view.rejected");
  }
  const count = status === "done" ? resultCount(part.output) : undefined;
  return count === undefined ? briefValue(part.input) : sayCount(say, "view.results", count);
}

/** How many results an output lists: a list, or an object whose only list is called so. */
function resultCount(output: Json | undefined): number | undefined {
  const list = isObject(output) ? output["results"] : output;
  return Array.isArray(list) ? list.length : undefined;
}

type DetailFunction = RowProps["detail"];

function detailOf(part: ToolPart, status: ToolStatus, place: Place): DetailFunction {
  const input = part.input !== undefined && <Detail label="view.tool.input" value={part.input} />;
  const details: Record<ToolStatus, DetailFunction> = {
    preparing: undefined,
    running: either(input, part.output !== undefined && (() => <Output part={part} place={place} label="view.tool.so_far" />)),
    waiting: () => <WaitingDetail part={part} />,
    queued: either(input),
    "approved-not-sent": either(input),
    denied: undefined,
    done: either(input, () => <Output part={part} place={place} label="view.tool.output" />),
    failed: () => <Failure part={part} />,
    interrupted: either(input, part.output !== undefined && (() => <Output part={part} place={place} label="view.tool.so_far" />)),
    unknown: () => (
      <>
        {input}
        <UnknownNote />
      </>
    ),
  };
  return details[status];
}

/** A detail of what there is; none when there is nothing, so that the row is a plain line. */
function either(input: JSX.Element | false, output?: (() => JSX.Element) | false): DetailFunction {
  if (!input && !output) return undefined;
  return (): ComponentChildren => [input, output && output()];
}

function WaitingDetail({ part }: { part: ToolPart }): JSX.Element {
  const proposal = proposalOf(part);
  if (part.state === "approval-requested") {
    return (
      <>
        <ApprovalDetail part={proposal ? { ...part, input: proposal.rest } : part} />
        {proposal && <Diff before={proposal.before} after={proposal.after} />}
      </>
    );
  }
  return proposal ? <ProposalDetail proposal={proposal} /> : <Fields label="view.tool.input" value={part.input ?? null} />;
}

function Output({ part, place, label }: { part: ToolPart; place: Place; label: WordKey }): JSX.Element {
  const { say } = useView();
  const message = place.depth < DEEPEST ? nestedMessage(part.output) : undefined;
  if (message) return <NestedMessage message={message} place={place} />;
  if (part.output === undefined) return <DetailNote label={label}>{say("view.tool.no_output")}</DetailNote>;
  return <Detail label={label} value={part.output} />;
}

function Failure({ part }: { part: ToolPart }): JSX.Element {
  const input = part.input ?? part.rawInput;
  return (
    <>
      {input !== undefined && <Detail label="view.tool.input" value={input} />}
      <Detail label="view.tool.error" value={part.errorText ?? ""} tone="bad" />
    </>
  );
}

function UnknownNote(): JSX.Element {
  const { say } = useView();
  return <DetailNote label="view.tool.output">{say("view.tool.unknown_detail")}</DetailNote>;
}

const call = (part: Partial<ToolPart>): ToolPart => ({
  type: "tool-get_weather",
  toolCallId: "call-0-0",
  state: "input-available",
  input: { city: "杭州" },
  ...part,
});

export const samples: Samples<"tool"> = {
  streaming: {
    value: call({ state: "input-streaming", input: { city: "杭" } }),
    place: { isBusy: true, tool: { status: "preparing" } },
    shows: "Preparing get_weather · 杭",
  },
  done: {
    value: call({ state: "output-available", output: 0 }),
    place: { tool: { status: "done", durationMs: 412 } },
    shows: "Ran get_weather · 杭州 0.4 s",
  },
  strange: {
    value: { type: "dynamic-tool", toolName: "", toolCallId: "", state: "output-error", errorText: "no such\nfile" },
    place: { tool: { status: "failed" } },
    shows: "Failed: ? · no such",
  },
};
