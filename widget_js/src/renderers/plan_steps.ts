/**
 * A plan, read from whatever carries one: a `data-plan` part, or a call of a planning tool.
 *
 * We write `{steps: [{id?, title, status: pending | running | done | failed}]}` and accept what others write:
 * `entries`, `todos` or `plan`; `content` or `step`; `in_progress` and `completed`. A half-received status is "pending".
 */

import type { Json, Part } from "../document";
import { isObject, isToolPart, toolName } from "../document";

export type StepStatus = "pending" | "running" | "done" | "failed";

export interface PlanStep {
  title: string;
  status: StepStatus;
}

export type PlanSteps = PlanStep[];

const PLAN_TOOLS: readonly string[] = ["plan", "updateplan", "todowrite", "writetodos"];

const STATUS_WORDS: Readonly<Record<string, StepStatus>> = {
  running: "running", in_progress: "running", "in-progress": "running", inprogress: "running", active: "running",
  done: "done", completed: "done", complete: "done",
  failed: "failed", error: "failed",
}; // prettier-ignore

/** Whether this part carries a plan; such parts are shown as one row, by the latest of them. */
export function carriesPlan(part: Part): boolean {
  if (part.type === "data-plan") return true;
  return isToolPart(part) && PLAN_TOOLS.includes(toolName(part).replace(/[_-]/g, "").toLowerCase());
}

/** The plan in this part, or `undefined` when it holds none (yet). */
export function planOf(part: Part): PlanSteps | undefined {
  if (part.type === "data-plan") return readSteps((part as { data?: Json }).data);
  if (!isToolPart(part)) return undefined;
  return readSteps(part.output) ?? readSteps(part.input);
}

function readSteps(value: Json | undefined): PlanSteps | undefined {
  const list = Array.isArray(value) ? value : isObject(value) ? (value["steps"] ?? value["entries"] ?? value["todos"] ?? value["plan"]) : undefined;
  if (!Array.isArray(list)) return undefined;
  const steps = list.flatMap((item) => {
    const title = typeof item === "string" ? item : isObject(item) ? firstText(item, ["title", "content", "step", "text", "label"]) : undefined;
    const status = isObject(item) && typeof item["status"] === "string" ? STATUS_WORDS[item["status"].toLowerCase()] : undefined;
    return title ? [{ title, status: status ?? "pending" }] : [];
  });
  return steps.length ? steps : undefined;
}

function firstText(item: { [key: string]: Json }, keys: readonly string[]): string | undefined {
  for (const key of keys) if (typeof item[key] === "string" && item[key]) return item[key];
  return undefined;
}
