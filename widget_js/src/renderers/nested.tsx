/** A message inside a message: what a subagent did, as rows of its own, one level deeper. Nothing in there can be answered. */

import type { JSX } from "preact";
import type { Json, Message } from "../document";
import { isObject } from "../document";
import type { View } from "../view/context";
import { ViewContext, useView } from "../view/context";
import type { Place } from "./_contract";
import { drawItem } from "./index";
import { itemsOf } from "./items";

/** The message that a tool's output is, if it is one. */
export function nestedMessage(output: Json | undefined): Message | undefined {
  if (!isObject(output) || output["role"] !== "assistant" || !Array.isArray(output["parts"])) return undefined;
  if (!output["parts"].every((part) => isObject(part) && typeof part["type"] === "string")) return undefined;
  return output as unknown as Message;
}

export function NestedMessage({ message, place }: { message: Message; place: Place }): JSX.Element {
  const outer = useView();
  const view: View = { ...outer, canAct: false };
  const { isBusy, isCurrent } = place;
  const inner = { isBusy, isCurrent, isLast: false, tool: undefined, durationMs: undefined, depth: place.depth + 1 };
  return (
    <ViewContext.Provider value={view}>
      <div class="nested">
        {itemsOf(message, place.id).map((item) => drawItem(item, { ...inner, id: item.id }))}
      </div>
    </ViewContext.Provider>
  );
}
