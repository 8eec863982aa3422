/**
 * A message's parts as the rows to draw: which parts share a row, and which row stands where.
 *
 * Adjacent reasoning is one row. All sources of a message are one row behind its parts. Everything that carries a plan is
 * one row, with the latest plan, at the place of the first. Everything else is a row of its own.
 */

import type { JsonObject, Message, Part, TextPart } from "../document";
import { isDataPart, isToolPart } from "../document";
import type { Item, Source } from "./_contract";
import type { PlanSteps } from "./plan_steps";
import { carriesPlan, planOf } from "./plan_steps";

/** The items of a message, in order. `id` is the stable prefix of their row ids. */
export function itemsOf(message: Message, id: string): Item[] {
  const items: Item[] = [];
  const sources: Source[] = [];
  const sourceIndexes: number[] = [];
  let steps = 0;
  let plan: Extract<Item, { kind: "plan" }> | undefined;
  message.parts.forEach((part, index) => {
    if (part.type === "source-url" || part.type === "source-document") {
      sources.push(part);
      sourceIndexes.push(index);
    } else if (carriesPlan(part) && !hasFailed(part)) {
      const latest = planOf(part);
      if (plan) Object.assign(plan, latest && { value: latest });
      else if (latest) items.push((plan = { kind: "plan", value: latest, id: `${id}/plan`, partIndexes: [index] }));
    } else {
      const last = items.at(-1);
      if (part.type === "reasoning" && last?.kind === "reasoning") {
        last.value.push(part);
        last.partIndexes.push(index);
      } else {
        items.push(itemOf(part, index, id, part.type === "step-start" ? ++steps : 0));
      }
    }
  });
  if (sources.length) items.push({ kind: "sources", value: sources, id: `${id}/sources`, partIndexes: sourceIndexes });
  return items;
}

/** The plan of a message, if it has one: what is shown above the prompt while it runs. */
export function planIn(message: Message): PlanSteps | undefined {
  return message.parts.filter((part) => carriesPlan(part) && !hasFailed(part)).map(planOf).findLast((plan) => plan); // prettier-ignore
}

/** A planning call that went wrong, or waits for somebody, is shown as the call that it is. */
function hasFailed(part: Part): boolean {
  return isToolPart(part) && ["output-error", "output-denied", "approval-requested"].includes(part.state);
}

function itemOf(part: Part, index: number, prefix: string, step: number): Item {
  const place = { id: `${prefix}/${index}`, partIndexes: [index] };
  if (isToolPart(part)) return { kind: "tool", value: part, ...place, id: `${prefix}/call/${part.toolCallId}` };
  if (isDataPart(part)) return { kind: "data", value: part, ...place };
  switch (part.type) {
    case "text":
      return { kind: "text", value: part, ...place };
    case "reasoning":
      return { kind: "reasoning", value: [part], ...place };
    case "file":
    case "reasoning-file":
      return { kind: "file", value: part, ...place };
    case "step-start":
      return { kind: "step", value: { number: step }, ...place };
    default:
      return otherItem(part as unknown as JsonObject, place);
  }
}

function otherItem(part: JsonObject, place: { id: string; partIndexes: number[] }): Item {
  if (part["type"] !== "steering-message" || !Array.isArray(part["parts"])) return { kind: "unknown", value: part, ...place };
  return { kind: "steering", value: { text: plainText(part["parts"] as unknown as Part[]) }, ...place };
}

/** The words of some parts, without anything else. */
export function plainText(parts: readonly Part[]): string {
  const texts = parts.filter((part): part is TextPart => part.type === "text" && typeof part.text === "string");
  return texts.map((part) => part.text).join("\n\n");
}
