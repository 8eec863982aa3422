/**
 * The plan: one row with the latest steps, where the plan first appeared; above the prompt while it runs.
 *
 * Glyph, words and strike-through say the same three times, so no step depends on colour.
 */

import type { JSX } from "preact";
import type { RowStatus } from "../view/context";
import { useView } from "../view/context";
import type { GlyphName } from "../view/glyph";
import { Glyph } from "../view/glyph";
import { Row } from "../view/row";
import type { WordKey } from "../view/strings";
import type { Renderer, Samples } from "./_contract";
import type { PlanStep, PlanSteps, StepStatus } from "./plan_steps";

type ShownStatus = StepStatus | "interrupted";

const STEP_LOOK = {
  pending: { glyph: "pending", word: "view.plan.pending" },
  running: { glyph: "running", word: "view.plan.running" },
  done: { glyph: "done", word: "view.plan.done" },
  failed: { glyph: "failed", word: "view.plan.failed" },
  interrupted: { glyph: "interrupted", word: "view.plan.interrupted" },
} as const satisfies Record<ShownStatus, { glyph: GlyphName; word: WordKey }>;

export const Plan: Renderer<"plan"> = ({ value, place }) => {
  const isDone = value.every((step) => step.status === "done");
  return <PlanRow id={place.id} steps={value} isRunning={place.isBusy} isOpen={place.isCurrent && !isDone} />;
};

/** `isRunning` is false when the exchange has stopped: a step that still runs then was interrupted. */
export function PlanRow(props: { id: string; steps: PlanSteps; isRunning: boolean; isOpen?: boolean }): JSX.Element | null {
  const { say } = useView();
  const { steps, isRunning } = props;
  if (!steps.length) return null;
  const shown = steps.map((step): ShownStatus => (step.status === "running" && !isRunning ? "interrupted" : step.status));
  const done = shown.filter((status) => status === "done").length;
  return (
    <Row
      id={props.id}
      kind="plan"
      status={planStatus(shown)}
      glyph="plan"
      title={{ name: say("view.plan"), argument: say("view.plan.count", { done, n: steps.length }) }}
      wantsOpen={props.isOpen ?? false}
      detail={() => (
        <ol class="plan">
          {steps.map((step, index) => (
            <Step key={index} step={step} status={shown[index]!} />
          ))}
        </ol>
      )}
    />
  );
}

function Step({ step, status }: { step: PlanStep; status: ShownStatus }): JSX.Element {
  const { say } = useView();
  const { glyph, word } = STEP_LOOK[status];
  return (
    <li class="plan-step" data-status={status} aria-current={status === "running" ? "step" : undefined}>
      <Glyph name={glyph} />
      <span class="plan-title">{step.title}</span>
      <span class={status === "done" || status === "pending" ? "plan-word quiet" : "plan-word"}>{say(word)}</span>
    </li>
  );
}

function planStatus(steps: readonly ShownStatus[]): RowStatus {
  if (steps.includes("failed")) return "failed";
  if (steps.includes("interrupted")) return "interrupted";
  if (steps.includes("running")) return "running";
  return steps.every((status) => status === "done") ? "done" : "neutral";
}

export const samples: Samples<"plan"> = {
  streaming: {
    value: [
      { title: "读原文", status: "done" },
      { title: "改短", status: "running" },
      { title: "发布", status: "pending" },
    ],
    place: { isBusy: true, isCurrent: true },
    shows: "Plan · 1 of 3读原文done改短in progress发布to do",
  },
  done: { value: [{ title: "Read", status: "done" }], shows: "Plan · 1 of 1" },
  strange: { value: [{ title: "Publish", status: "running" }], place: { isCurrent: true }, shows: "Plan · 0 of 1Publishinterrupted" },
};
